/**
 * Compiles the messages of one language to TypeScript.
 *
 * A language is a JSON file of messages in groups. A message is ICU MessageFormat: `{name}`,
 * `{count, plural, one {…} other {…}}`, `{place, selectordinal, …}`, `{kind, select, a {…} other
 * {…}}`, where a case may be `null`, `true` or `false`, and `{names, list}`. Its arguments are in
 * its key, such as `joinOf(host)`; without arguments the key is the name alone.
 *
 * A group that is empty in the source contains the language's words for names from other files.
 */

import { type Select, type Token, parse } from "@messageformat/parser";

/** A language's messages, by key. */
export interface Messages {
  readonly [key: string]: string | readonly string[] | Messages;
}

/** The source language of the translations. */
export const SOURCE = "en";

/** A message that cannot be compiled, with the path of its key. */
export class MessageError extends Error {
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.name = "MessageError";
  }
}

/** Writes the messages of one language as TypeScript. */
export class Compiler {
  /** The forms of the language used by its messages. */
  readonly forms = new Set<string>();
  readonly #language: string;
  readonly #cases: { readonly cardinal: PluralCase[]; readonly ordinal: PluralCase[] };

  constructor(language: string) {
    this.#language = language;
    const casesOf = (type: "cardinal" | "ordinal") =>
      new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories as PluralCase[];
    this.#cases = { cardinal: casesOf("cardinal"), ordinal: casesOf("ordinal") };
  }

  /** Return a group as an object, checked against the source language's unless that is empty. */
  group(messages: Messages, source: Messages, path: string): string {
    const expected = Object.keys(source).length === 0 ? messages : source;
    for (const key of new Set([...Object.keys(messages), ...Object.keys(expected)])) {
      const at = `${path}.${key}`;
      if (!(key in messages)) throw new MessageError(at, "It is not translated.");
      if (!(key in expected)) throw new MessageError(at, `It does not exist in ${SOURCE}.`);
    }
    const entries = Object.entries(expected).map(([key, original]) => {
      const [name, given] = signatureOf(key);
      const value = this.#value(messages[key] ?? "", original, given, `${path}.${key}`);
      return `${JSON.stringify(name)}: ${value},\n`;
    });
    return `{\n${entries.join("")}}`;
  }

  #value(
    value: Messages[string],
    original: Messages[string],
    given: readonly string[] | null,
    path: string,
  ): string {
    if (typeof value === "string" && typeof original === "string") {
      return this.#message(value, original, given, path);
    }
    if (isList(value) && isList(original)) {
      if (value.length !== original.length) {
        throw new MessageError(path, `It has ${original.length} messages in ${SOURCE}.`);
      }
      const each = value.map((one, nth) =>
        this.#message(one, original[nth] ?? "", given, `${path}.${nth}`),
      );
      return `[${each.join(", ")}]`;
    }
    if (isGroup(value) && isGroup(original)) return this.group(value, original, path);
    throw new MessageError(path, `It has another type in ${SOURCE}.`);
  }

  #message(
    message: string,
    original: string,
    given: readonly string[] | null,
    path: string,
  ): string {
    if (message.trim() === "") throw new MessageError(path, "It is empty.");
    if (given === null) return JSON.stringify(message);
    const tokens = this.#parsed(message, path);
    const used = new Set(usesOf(tokens).map(({ name }) => name));
    const unknown = [...used].find((name) => !given.includes(name));
    if (unknown !== undefined) throw new MessageError(path, `It has no argument \`${unknown}\`.`);
    const last = given.findLastIndex((name) => used.has(name));
    // All types come from the source language.
    const kinds = this.#language === SOURCE ? kindsOf(usesOf(this.#parsed(original, path))) : null;
    const parameters = given.slice(0, kinds === null ? last + 1 : given.length).map((name) => {
      const kind = kinds?.get(name);
      if (kinds !== null && kind === undefined) {
        throw new MessageError(path, `It does not use \`${name}\`.`);
      }
      const own = used.has(name) ? name : `_${name}`;
      return kind === undefined ? own : `${own}: ${kind}`;
    });
    return `(${parameters.join(", ")}) => ${this.#template(tokens, null)}`;
  }

  #parsed(message: string, path: string): Token[] {
    try {
      return parse(message, this.#cases);
    } catch (error) {
      throw new MessageError(path, error instanceof Error ? error.message : String(error));
    }
  }

  /** Return an expression for a text; `counted` is the value of `#`. */
  #template(tokens: readonly Token[], counted: string | null): string {
    const [only] = tokens;
    if (tokens.length === 1 && only !== undefined && TEXTS.has(only.type)) {
      return this.#expression(only, counted);
    }
    const parts = tokens.map((token) =>
      token.type === "content"
        ? token.value.replaceAll(/[\\`]|\$(?=\{)/g, "\\$&")
        : `\${${this.#expression(token, counted)}}`,
    );
    return `\`${parts.join("")}\``;
  }

  #expression(token: Token, counted: string | null): string {
    switch (token.type) {
      case "content":
        return JSON.stringify(token.value);
      case "argument":
        return token.arg;
      case "octothorpe":
        return counted ?? '"#"';
      case "function":
        this.forms.add(token.key);
        return `${token.key}(${token.arg})`;
      case "select":
        return this.#choice(token, counted);
      default:
        return this.#plural(token);
    }
  }

  #plural({ type, arg, cases, pluralOffset = 0 }: Select): string {
    const form = type === "plural" ? "plural" : "ordinal";
    this.forms.add(form);
    const counted = pluralOffset === 0 ? arg : `${arg} - ${pluralOffset}`;
    const all = cases.map(
      ({ key, tokens }) => `${JSON.stringify(key)}: ${this.#template(tokens, counted)}`,
    );
    const offset = pluralOffset === 0 ? "" : `, ${pluralOffset}`;
    return `${form}(${arg}, { ${all.join(", ")} }${offset})`;
  }

  #choice({ arg, cases }: Select, counted: string | null): string {
    const other = cases.find(({ key }) => key === "other")?.tokens ?? [];
    return cases
      .filter(({ key }) => key !== "other")
      .reduceRight(
        (rest, { key, tokens }) => {
          const value = LITERALS.has(key) ? key : JSON.stringify(key);
          return `${arg} === ${value} ? ${this.#template(tokens, counted)} : ${rest}`;
        },
        this.#template(other, counted),
      );
  }
}

type PluralCase = "zero" | "one" | "two" | "few" | "many" | "other";

/** The tokens whose expressions are strings. */
const TEXTS: ReadonlySet<Token["type"]> = new Set([
  "function",
  "plural",
  "select",
  "selectordinal",
]);

/** The non-string cases of `select`. */
const LITERALS: ReadonlySet<string> = new Set(["null", "true", "false"]);

/** One use of a message's argument. */
interface Use {
  readonly name: string;
  readonly type: Token["type"];
  /** The cases of a `select`. */
  readonly cases: readonly string[];
}

function usesOf(tokens: readonly Token[]): Use[] {
  return tokens.flatMap((token) => {
    if (token.type === "content" || token.type === "octothorpe") return [];
    if (token.type === "argument" || token.type === "function") {
      return [{ name: token.arg, type: token.type, cases: [] }];
    }
    const cases = token.cases.map(({ key }) => key).filter((key) => key !== "other");
    const inner = token.cases.flatMap((each) => usesOf(each.tokens));
    return [{ name: token.arg, type: token.type, cases }, ...inner];
  });
}

/** Return the types of a message's arguments, derived from their uses. */
function kindsOf(uses: readonly Use[]): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const { name } of uses) {
    const own = uses.filter((use) => use.name === name);
    const cases = new Set(own.flatMap((use) => use.cases));
    const nullable = cases.delete("null") ? " | null" : "";
    let kind = "string | number";
    if (own.some(({ type }) => type === "function")) kind = "readonly string[]";
    else if (own.some(({ type }) => type === "plural" || type === "selectordinal")) kind = "number";
    else if (cases.has("true") || cases.has("false")) kind = "boolean";
    else if (own.some(({ type }) => type === "select") && cases.size > 0) kind = "string";
    kinds.set(name, kind + nullable);
  }
  return kinds;
}

/** Return a key's name, and the message's arguments; null for a plain text. */
function signatureOf(key: string): [name: string, given: readonly string[] | null] {
  const found = /^([^(]+)\(([\w, ]*)\)$/.exec(key);
  if (found === null) return [key, null];
  return [found[1] ?? "", (found[2] ?? "").split(",").map((name) => name.trim())];
}

function isList(value: Messages[string]): value is readonly string[] {
  return Array.isArray(value);
}

function isGroup(value: Messages[string]): value is Messages {
  return typeof value === "object" && !isList(value);
}
