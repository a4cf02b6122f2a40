/**
 * Every word on the page, in the language that the player reads.
 *
 * `text` is set before anything is shown, and whatever shows it is made anew when it changes.
 */

import type { Certificate, Player } from "@samedeal/client";
import { type View, pileAt } from "../../../src/rules/board.ts";
import { isDown, rankOf, suitOf } from "../../../src/rules/cards.ts";
import { en } from "./en.ts";

export type Text = typeof en;

/** The languages that there are; who reads none of them gets the first. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

export let text: Text = en;
/** The language of `text`. */
export let language: Language = "en";

/** Have all words in this language from now on. */
export async function useLanguage(wanted: Language): Promise<void> {
  text = wanted === "en" ? en : (await import("./de.ts")).de;
  language = wanted;
  document.documentElement.lang = wanted;
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
export type Named = Pick<Player, "name"> & { readonly bot?: boolean };

/** A player's name alone; elements show it by `parts/Name.svelte`. */
export function bareName({ name, bot = false }: Named): string {
  return bot ? text.bot.name : name;
}

/** A player's name in a sentence, a title or a label, where it changes the order of nothing else. */
export function nameOf(player: Named): string {
  return isolated(bareName(player));
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
export function cardWords(card: number): string {
  return isDown(card) ? text.cards.down : text.cards.name(rankOf(card), suitOf(card));
}

/** A pile's name in words, as in "pile 3". */
export function pileWords(view: View, pile: number): string {
  const { foundations, tableau, stock } = view.ruleset;
  if (pile === stock) return text.piles.stock;
  if (foundations.includes(pile)) return text.piles.foundation(pile + 1);
  return tableau.includes(pile)
    ? text.piles.column(pile - foundations.length + 1)
    : text.piles.waste;
}

/** The help that a player asked for, beside a result: "3 undos, 1 hint"; empty if there was nothing. */
export function marksOf(result: {
  readonly undos: number;
  readonly hints: number;
  readonly peeked: boolean;
}): string {
  return text.help.marks(result.undos, result.hints, result.peeked);
}

/** The text of a refusal for a player: in the page's own words, else in the server's. */
export function refusalWords({ code, message }: { code: string; message: string }): string {
  return text.refusals[code] ?? message;
}

/** The words of a screen reader for a pile before its cards. */
export function pileLabel(view: View, pile: number): string {
  return text.piles.withCount(pileWords(view, pile), pileAt(view, pile).length);
}

/** The words of a screen reader for a card. */
export function cardLabel(view: View, at: { card: number; pile: number; index: number }): string {
  const { ruleset } = view;
  if (at.pile === ruleset.stock && isDown(at.card)) return text.play.deal;
  const above = pileAt(view, at.pile).length - 1 - at.index;
  const covered = above > 0 && ruleset.tableau.includes(at.pile);
  return covered ? text.play.covered(cardWords(at.card), above) : cardWords(at.card);
}

/** The words of a screen reader for an empty pile. */
export function placeLabel(view: View, pile: number): string {
  const { stock, waste, rules } = view.ruleset;
  const left = (rules.waste?.redeals ?? 0) - view.redeals;
  if (pile === stock && waste !== null && left > 0) return text.piles.emptyStock(left);
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
