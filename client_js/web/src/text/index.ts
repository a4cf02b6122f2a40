/**
 * Every word on the page, in the language that the player reads.
 *
 * The messages are in `messages`, a file for each language, from which `generated` is made. They are
 * loaded before anything is shown, and whatever shows them is made anew when the language changes.
 */

import type { Certificate, Player } from "@samedeal/client";
import { PACE_BOT } from "../../../src/messages.ts";
import { type View, pileAt } from "../../../src/rules/board.ts";
import { type Card, RANKS, isDown, rankOf, suitOf } from "../../../src/rules/cards.ts";
import { ENDLESS } from "../../../src/rules/ruleset.ts";
import {
  FIRST,
  LANGUAGES,
  LATER,
  type Language,
  OWN,
  type Own,
  type Text,
} from "./generated/index.ts";

export { LANGUAGES, type Language, NAMES } from "./generated/index.ts";

/** All messages, once they are loaded: those of `LATER` are where `withText` loads what shows them. */
export let text = {} as Text;

let language: Language = LANGUAGES[0];
/** The language of `text`; null before it is loaded. */
let loaded: Language | null = null;
/** Whether `text` has those of `LATER`. */
let isWhole = false;
/** Those of `OWN` that are wanted, too. */
const own = new Set<Own>();

/** Have all words in this language from now on. */
export async function useLanguage(wanted: Language): Promise<void> {
  language = wanted;
  if (isWhole) return loadAll();
  const { texts } = await FIRST[wanted]();
  // Another may have been wanted meanwhile, and all may have come sooner than these.
  if (language !== wanted || loaded === wanted) return;
  text = { ...texts } as Text;
  loaded = wanted;
}

/** Wait for a module that shows messages which first visits show none of, and for those. */
export async function withText<Module>(module: Promise<Module>): Promise<Module> {
  const [found] = await Promise.all([module, isWhole ? null : loadAll()]);
  return found;
}

/** The same of a module that shows a group of messages which few visits show. */
export async function withOwnText<Module>(group: Own, module: Promise<Module>): Promise<Module> {
  own.add(group);
  const [found] = await Promise.all([module, group in text ? null : loadAll()]);
  return found;
}

async function loadAll(): Promise<void> {
  for (;;) {
    const [wanted, count] = [language, own.size];
    const parts = await Promise.all([
      FIRST[wanted](),
      LATER[wanted](),
      ...[...own].map((group) => OWN[group][wanted]()),
    ]);
    if (language !== wanted || own.size !== count) continue;
    text = Object.assign({}, ...parts.map(({ texts }) => texts)) as Text;
    loaded = wanted;
    isWhole = true;
    return;
  }
}

/** A message by a name that comes from elsewhere, if there is one. */
export function entry(
  messages: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  return messages[name];
}

/** The first language of those that a browser asks for, as in `de-AT`, that there is. */
export function languageOf(asked: readonly string[]): Language {
  for (const tag of asked) {
    const found = LANGUAGES.find((known) => tag.toLowerCase().split("-")[0] === known);
    if (found) return found;
  }
  return LANGUAGES[0];
}

/** Whoever has a name: the pace bot is called what it is in the language of the page. */
export type Named = Pick<Player, "name"> & { readonly bot?: boolean; readonly id?: string };

/** Whether it is the pace bot, and not the bot of a player. */
export function isPaceBot({ bot = false, id }: Named): boolean {
  return bot && id === PACE_BOT;
}

/** A player's name alone; elements show it by `parts/Name.svelte`. */
export function bareName(player: Named): string {
  const { name } = player;
  return isPaceBot(player) ? text.bot.name : name;
}

/**
 * A player's name in a sentence, a title or a label, where it changes the order of nothing else. The
 * bot of a player is said to be one.
 */
export function nameOf(player: Named): string {
  const name = isolated(bareName(player));
  return player.bot && !isPaceBot(player) ? text.bot.named(name) : name;
}

/** What a bot is, in words. */
export function botWords(player: Named): string {
  return isPaceBot(player) ? text.bot.about : text.bot.own;
}

/** Letters of the scripts that are written from right to left: Unicode keeps these blocks for them. */
const FROM_RIGHT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A name that people have chosen: between isolates if it is written from right to left. */
export function isolated(name: string): string {
  return FROM_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
}

/** The letter that stands for a player where there is no room for the name. */
export function initialOf(player: Named): string {
  return (/[\p{L}\p{N}]/u.exec(bareName(player))?.[0] ?? "").toUpperCase();
}

/** A card's name in words, as in "Ten of hearts". */
export function cardWords(card: Card): string {
  if (isDown(card)) return text.cards.down;
  const { ranks, suits } = text.cards;
  return text.cards.name(ranks[rankOf(card)] ?? "", entry(suits, suitOf(card)) ?? "");
}

/** A rank's name, from its letter. */
export function rankWords(letter: string): string {
  return text.cards.ranks[RANKS.indexOf(letter)] ?? letter;
}

/** A text that begins with a capital letter. */
export function capitalised(words: string): string {
  return words.charAt(0).toLocaleUpperCase(text.locale) + words.slice(1);
}

/** A pile's name in words, as in "pile 3". */
export function pileWords(view: View, pile: number): string {
  const { foundations, tableau, stock, reserve, cells } = view.ruleset;
  if (pile === stock) return text.piles.stock;
  if (foundations.includes(pile)) return text.piles.foundation(pile + 1);
  if (tableau.includes(pile)) return text.piles.column(tableau.indexOf(pile) + 1);
  if (cells.includes(pile)) return text.piles.cell(cells.indexOf(pile) + 1);
  if (!reserve.includes(pile)) return text.piles.waste;
  return text.piles.reserve(reserve.length > 1 ? reserve.indexOf(pile) + 1 : null);
}

/** The help that a player asked for, beside a result: "3 undos, 1 hint"; empty if there was nothing. */
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

/** The mark of a known deal, which is named by a number of few digits, or else by its cards. */
export function knownWords(name: string): string {
  return text.play.known(name.length < 8 ? name : null);
}

/** What a deal is played for, as `app/targets.ts` tells it. */
interface Target {
  readonly kind: "all" | "par" | "best" | "own";
  readonly home: number;
}

/** How many cards came home, against the target if there is one. */
export function reachedWords(home: number, target: Target | null): string {
  const words = text.reached;
  if (target === null) return words.home(home);
  const { kind } = target;
  if (kind === "all") return words.all(home, target.home);
  return home >= target.home ? words[`${kind}Made`](home) : words[kind](home, target.home);
}

/** The text of a refusal for a player: in the page's own words, else in the server's. */
export function refusalWords({ code, message }: { code: string; message: string }): string {
  // Those of a group that was not loaded are refusals of what was not asked for.
  const { challenges, circles } = text as Partial<Text>;
  const later = { ...challenges?.refusals, ...circles?.refusals };
  return entry(text.refusals, code) ?? entry(later, code) ?? message;
}

/** The words of a screen reader for a pile before its cards. */
export function pileLabel(view: View, pile: number): string {
  return text.piles.withCount(capitalised(pileWords(view, pile)), pileAt(view, pile).length);
}

/** The words of a screen reader for a card. */
export function cardLabel(view: View, at: { card: number; pile: number; index: number }): string {
  const { ruleset } = view;
  if (at.pile === ruleset.stock && isDown(at.card)) return dealWords(view);
  const above = pileAt(view, at.pile).length - 1 - at.index;
  const covered = above > 0 && ruleset.tableau.includes(at.pile);
  return covered ? text.play.covered(cardWords(at.card), above) : cardWords(at.card);
}

/** What the stock does: it may turn several cards to the waste. */
function dealWords(view: View): string {
  const { stock, rules } = view.ruleset;
  const cards = Math.min(rules.stock.turns, pileAt(view, stock).length);
  return cards > 1 ? text.play.dealMany(cards) : text.play.deal;
}

/** The words of a screen reader for an empty pile. */
export function placeLabel(view: View, pile: number): string {
  const { stock, waste, redeals } = view.ruleset;
  const left = redeals - view.redeals;
  if (pile === stock && waste !== null && left > 0) {
    return redeals < ENDLESS ? text.piles.emptyStock(left) : text.piles.emptyStockEndless;
  }
  return text.piles.empty(pileWords(view, pile));
}

/** The proof about a daily's deal, in short; null if there is none. */
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

/** A day as people write it; the server's days are UTC days. */
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

/** A span as on a clock, as in `4:07` or `1:04:07`. */
export function clockText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** A result's time, to the tenth of a second, since ranks are decided by it. */
export function resultTime(milliseconds: number): string {
  return `${clockText(milliseconds)}.${Math.floor((milliseconds % 1000) / 100)}`;
}
