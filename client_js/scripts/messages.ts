/** Compiles messages into modules. */

import { Compiler, MessageError, type Messages, SOURCE } from "./compiler.ts";

/** The groups of races' screens and tables, in a separate module. */
export const RACE: ReadonlySet<string> = new Set([...["emotes", "host", "room", "round", "track"]]);

/** The groups not shown on first visits, in a separate module. */
export const LATER: ReadonlySet<string> = new Set([
  ...["account", "blocking", "boards", "check", "could", "days", "ghostEnd", "howTo"],
  ...["laterRefusals", "looking", "openRaces", "reasons", "replay", "report", "rounds"],
  ...["seated", "series", "settings", "solo", "terms", "watching"],
]);

/** Rarely shown groups, each in its own module. */
export const OWN: ReadonlySet<string> = new Set([
  ...["challenges", "circles", "elsewhere", "known", "operators", "push", "spoken", "variants"],
]);

/** The service worker's group; the worker shares no module with the page. */
export const WORKER = "told";

/** A language's modules that the page loads. */
const PARTS: readonly string[] = ["first", "race", "later", ...OWN];

/** Return the name of a module's type. */
function typeOf(part: string): string {
  return part.charAt(0).toUpperCase() + part.slice(1);
}

function partOf(group: string): string {
  if (OWN.has(group) || group === WORKER) return group;
  if (RACE.has(group)) return "race";
  return LATER.has(group) ? "later" : "first";
}

/** The key of a language's own name. */
const NAME = "language";

const NOTE = "// Generated from `messages` by `npm run texts`.\n";

/** Return the modules of all languages, by name. */
export function compiled(languages: Readonly<Record<string, Messages>>): Map<string, string> {
  const source = languages[SOURCE];
  if (source === undefined) throw new MessageError(SOURCE, "There is no such language.");
  const modules = new Map<string, string>();
  const names = [SOURCE, ...Object.keys(languages).filter((each) => each !== SOURCE)];
  for (const language of names) {
    for (const part of [...PARTS, WORKER]) {
      const pick = (all: Messages | undefined) =>
        Object.fromEntries(
          Object.entries(all ?? {}).filter(([key]) => key !== NAME && partOf(key) === part),
        );
      const compiler = new Compiler(language);
      const texts = compiler.group(pick(languages[language]), pick(source), language);
      modules.set(`${language}.${part}.ts`, moduleOf(language, part, texts, compiler.forms));
    }
  }
  const quoted = (name: string) => JSON.stringify(name);
  const loads = (part: string) =>
    names.map((name) => `  ${name}: () => import("./${name}.${part}.ts"),\n`).join("");
  const types = PARTS.map(
    (part) => `import type { ${typeOf(part)} } from "./${SOURCE}.${part}.ts";`,
  );
  const own = [...OWN].map((part) => `${part}: {\n${loads(part)}},\n`).join("");
  modules.set(
    "index.ts",
    `${NOTE}
${types.join("\n")}

/** All messages of a language. */
export type Text = ${PARTS.map(typeOf).join(" & ")};

/** The available languages; readers of other languages get the first one. */
export const LANGUAGES = [${names.map(quoted).join(", ")}] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language's name in itself. */
export const NAMES: Readonly<Record<Language, string>> = {
${names.map((name) => `  ${name}: ${quoted(nameOf(name, languages[name]))},\n`).join("")}};

/** Load the messages needed by every visit. */
export const FIRST: Readonly<Record<Language, () => Promise<{ readonly texts: First }>>> = {
${loads("first")}};

/** Load the messages of races' screens and tables. */
export const RACE: Readonly<Record<Language, () => Promise<{ readonly texts: Race }>>> = {
${loads("race")}};

/** Load the messages not shown on first visits. */
export const LATER: Readonly<Record<Language, () => Promise<{ readonly texts: Later }>>> = {
${loads("later")}};

/** Load one group of rarely shown messages. */
export const OWN = {
${own}} as const;
export type Own = keyof typeof OWN;
`,
  );
  const imports = names.map(
    (name) => `import { texts as ${name} } from "./${name}.${WORKER}.ts";\n`,
  );
  modules.set(
    `${WORKER}.ts`,
    `${NOTE}
import type { ${typeOf(WORKER)} } from "./${SOURCE}.${WORKER}.ts";
${imports.join("")}
/** The service worker's messages in all languages. */
export const WORDS: Readonly<Record<string, ${typeOf(WORKER)}>> = { ${names.join(", ")} };

/** The messages for readers of other languages. */
export const OTHERS = ${SOURCE};
`,
  );
  return modules;
}

function nameOf(language: string, messages: Messages | undefined): string {
  const name = messages?.[NAME];
  if (typeof name !== "string") throw new MessageError(`${language}.${NAME}`, "It is missing.");
  return name;
}

function moduleOf(
  language: string,
  part: string,
  texts: string,
  forms: ReadonlySet<string>,
): string {
  const type = typeOf(part);
  const head = [
    ...(forms.size > 0 ? [`import { formsOf } from "../forms.ts";`] : []),
    ...(language === SOURCE ? [] : [`import type { ${type} } from "./${SOURCE}.${part}.ts";`]),
    ...(forms.size > 0
      ? ["", `const { ${[...forms].sort().join(", ")} } = formsOf(${JSON.stringify(language)});`]
      : []),
  ];
  const own = language === SOURCE ? `\n\nexport type ${type} = typeof texts;` : "";
  const typed = language === SOURCE ? "texts" : `texts: ${type}`;
  return `${NOTE}\n${head.join("\n")}\n\nexport const ${typed} = ${texts};${own}\n`;
}
