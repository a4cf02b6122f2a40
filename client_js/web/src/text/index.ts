/**
 * Every text on the page, in the player's language.
 *
 * The messages are in `messages`, one file per language; `generated` is built from them. They are
 * loaded before the first render, and everything is rendered again when the language changes.
 */

import type { Certificate, Player } from "@samedeal/client";
import { PACE_BOT } from "../../../src/messages.ts";
import type { View } from "../../../src/rules/board.ts";
import { type Card, RANKS, isDown, rankOf, suitOf } from "../../../src/rules/cards.ts";
import {
  FIRST,
  LANGUAGES,
  LATER,
  type Language,
  OWN,
  type Own,
  RACE,
  type Text,
} from "./generated/index.ts";

export { LANGUAGES, type Language, NAMES } from "./generated/index.ts";

/** All messages, once loaded; later parts only where `withText` and the like have loaded them. */
export let text = {} as Text;

/** A part of the messages that is loaded on demand. */
type Part = "race" | "later" | Own;

let language: Language = LANGUAGES[0];
/** The parts that were ever requested, and those in `text`. */
const wanted = new Set<Part>();
let present: ReadonlySet<Part> = new Set();

/** Switch all texts to this language. */
export async function useLanguage(next: Language): Promise<void> {
  language = next;
  await load();
}

/** Wait for a module, and for the messages of `RACE` that it shows. */
export function withRaceText<Module>(module: Promise<Module>): Promise<Module> {
  return withParts(["race"], module);
}

/** Wait for a module, and for the messages of `RACE` and `LATER` that it shows. */
export function withText<Module>(module: Promise<Module>): Promise<Module> {
  return withParts(["race", "later"], module);
}

/** Do the same for a module that also shows a rarely needed group of messages. */
export function withOwnText<Module>(group: Own, module: Promise<Module>): Promise<Module> {
  return withParts(["race", "later", group], module);
}

async function withParts<Module>(parts: readonly Part[], module: Promise<Module>): Promise<Module> {
  for (const part of parts) wanted.add(part);
  const [found] = await Promise.all([
    module,
    parts.every((part) => present.has(part)) ? null : load(),
  ]);
  return found;
}

/** Load the requested parts in the current language, until neither has changed meanwhile. */
async function load(): Promise<void> {
  for (;;) {
    const [spoken, parts] = [language, new Set(wanted)];
    const modules = await Promise.all([
      FIRST[spoken](),
      ...[...parts].map((part) => loadsOf(part)[spoken]()),
    ]);
    if (language !== spoken || wanted.size !== parts.size) continue;
    text = Object.assign({}, ...modules.map(({ texts }) => texts)) as Text;
    present = parts;
    return;
  }
}

function loadsOf(
  part: Part,
): Readonly<Record<Language, () => Promise<{ readonly texts: object }>>> {
  if (part === "race") return RACE;
  return part === "later" ? LATER : OWN[part];
}

/** Return a message by a name from outside the page, if it exists. */
export function entry(
  messages: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return messages[name];
}

/** Return the first supported language among a browser's preferences, such as `de-AT`. */
export function languageOf(asked: readonly string[]): Language {
  for (const tag of asked) {
    const found = LANGUAGES.find((known) => tag.toLowerCase().split("-")[0] === known);
    if (found) return found;
  }
  return LANGUAGES[0];
}

/** A named player; the pace bot's name depends on the page's language. */
export type Named = Pick<Player, "name"> & { readonly bot?: boolean; readonly id?: string };

/** Whether this is the pace bot rather than a player's bot. */
export function isPaceBot({ bot = false, id }: Named): boolean {
  return bot && id === PACE_BOT;
}

/** Return a player's name alone; elements show it with `parts/Name.svelte`. */
export function bareName(player: Named): string {
  const { name } = player;
  return isPaceBot(player) ? text.bot.name : name;
}

/** Return a name isolated from the text's direction, for sentences; bots are marked. */
export function nameOf(player: Named): string {
  const name = isolated(bareName(player));
  return player.bot && !isPaceBot(player) ? text.bot.named(name) : name;
}

export function botWords(player: Named): string {
  return isPaceBot(player) ? text.bot.about : text.bot.own;
}

/** Letters of right-to-left scripts: Unicode reserves these blocks for them. */
const FROM_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Isolate a name chosen by a player if it is written from right to left. */
export function isolated(name: string): string {
  return FROM_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
}

/** Return the initial that stands for a player where the name does not fit. */
export function initialOf(player: Named): string {
  return (/[\p{L}\p{N}]/u.exec(bareName(player))?.[0] ?? "").toUpperCase();
}

/** Return a card's name, such as "Ten of hearts". */
export function cardWords(card: Card): string {
  if (isDown(card)) return text.cards.down;
  const { ranks, suits } = text.cards;
  return text.cards.name(ranks[rankOf(card)] ?? "", entry(suits, suitOf(card)) ?? "");
}

export function rankWords(letter: string): string {
  return text.cards.ranks[RANKS.indexOf(letter)] ?? letter;
}

export function capitalised(words: string): string {
  return words.charAt(0).toLocaleUpperCase(text.locale) + words.slice(1);
}

/** Return a pile's name, such as "pile 3". */
export function pileWords(view: View, pile: number): string {
  const { foundations, tableau, stock, reserve, cells, peaks } = view.ruleset;
  if (pile === stock) return text.piles.stock;
  if (foundations.includes(pile)) return text.piles.foundation(pile + 1);
  if (tableau.includes(pile)) return columnWords(peaks, tableau.indexOf(pile));
  if (cells.includes(pile)) return text.piles.cell(cells.indexOf(pile) + 1);
  if (!reserve.includes(pile)) return text.piles.waste;
  return text.piles.reserve(reserve.length > 1 ? reserve.indexOf(pile) + 1 : null);
}

/** Return the name of a column, or of the place of peaks with this index, row by row. */
function columnWords(peaks: readonly number[] | null, index: number): string {
  let nth = index;
  const row = peaks?.findIndex((size) => (nth -= size) < 0) ?? -1;
  if (peaks === null || row < 0) return text.piles.column(index + 1);
  return text.piles.place(row + 1, nth + (peaks[row] ?? 0) + 1);
}

/** Return the help used, to go with a result: "3 undos, 1 hint"; empty if there was none. */
export function marksOf(result: {
  readonly undos: number;
  readonly hints: number;
  readonly peeked: boolean;
}): string {
  const { undos, hints, peeked } = text.help;
  return [
    ...(result.undos > 0 ? [undos(result.undos)] : []),
    ...(result.hints > 0 ? [hints(result.hints)] : []),
    ...(result.peeked ? [peeked] : []),
  ].join(", ");
}

/** Return the mark of a known deal, named by its number if that has at most ten digits. */
export function knownWords(name: string): string {
  return text.play.known(name.length <= 10 ? name : null);
}

/** A deal's target, as in `app/targets.ts`. */
interface Target {
  readonly kind: "all" | "par" | "best" | "own";
  readonly home: number;
}

/** Return how many cards came home, compared with the target if there is one. */
export function reachedWords(home: number, target: Target | null): string {
  const words = text.reached;
  if (target === null) return words.home(home);
  const { kind } = target;
  if (kind === "all") return words.all(home, target.home);
  return home >= target.home ? words[`${kind}Made`](home) : words[kind](home, target.home);
}

/** Return a refusal's text for a player: the page's if it has one, otherwise the server's. */
export function refusalWords({ code, message }: { code: string; message: string }): string {
  // Groups that are not loaded only have refusals of commands that were not sent.
  const { challenges, circles, laterRefusals } = text as Partial<Text>;
  const later = { ...laterRefusals, ...challenges?.refusals, ...circles?.refusals };
  return entry(text.refusals, code) ?? entry(later, code) ?? message;
}

/** Return a summary of the proof about a daily's deal; null if there is none. */
export function proofWords(
  certificate: Certificate | null,
  best: number | null = null,
): string | null {
  const { proof } = text;
  if (certificate === null) return best === null ? null : proof.best(best);
  const { winnable, par, level } = certificate;
  const hard = proof.levels[level - 1] ?? "";
  return winnable ? proof.winnable(hard) : proof.par(hard, par);
}

/** Return a date in words; the server's days are UTC days. */
export function dateWords(day: number): string {
  const date = new Date(day * 86_400_000);
  return date.toLocaleDateString(text.locale, {
    timeZone: "UTC",
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
}

/** Return a duration such as `4:07` or `1:04:07`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** Return a result's time to a tenth of a second, in the page's language, such as `4:07.3`. */
export function resultTime(milliseconds: number): string {
  // Tenths are shown because ranks depend on them.
  const tenths = Math.floor((milliseconds % 1000) / 100);
  const [, mark = "."] = (0.5).toLocaleString(text.locale);
  return `${clockText(milliseconds)}${mark}${tenths}`;
}
