/** Words for moderators. */

import { type Moderate, type OperatorTypes, games } from "@samedeal/client";
import { paths } from "../app/routes.ts";
import { shortDate } from "../text/days.ts";
import { entry, refusalWords, text } from "../text/index.ts";

export type ActName = Moderate["act"];

export function operatorRefusal(refusal: { code: string; message: string }): string {
  return entry(text.operators.refusals, refusal.code) ?? refusalWords(refusal);
}

/** Return a date and time; `at` is in Unix milliseconds. */
export function timeWords(at: number): string {
  return new Date(at).toLocaleString(text.locale, { dateStyle: "medium", timeStyle: "short" });
}

export function gameName(game: string): string {
  return games.find(({ id }) => id === game)?.name ?? game;
}

export function whereWords({ game, day }: { game: string | null; day: number | null }): string {
  const words = text.operators;
  if (game === null) return words.ofPlayer;
  return day === null ? words.ofRace(gameName(game)) : words.ofDay(gameName(game), shortDate(day));
}

/** Return a player's tag, because the journal has no names. */
function tagOf(player: string): string {
  return `#${player.slice(-8).toUpperCase()}`;
}

export function entryWords(act: OperatorTypes.AnyAct): {
  readonly act: ActName;
  readonly about: string;
  readonly href: string | null;
} {
  switch (act.type) {
    case "void":
      return {
        act: act.void ? "void" : "unvoid",
        about: `${tagOf(act.player)}, ${whereWords(act)}`,
        href: paths.operators("run", act.attempt),
      };
    case "bar":
      return {
        act: act.until === null ? "unbar" : "bar",
        about: act.until
          ? `${tagOf(act.player)}, ${text.operators.journal.until(timeWords(act.until))}`
          : tagOf(act.player),
        href: paths.operators("player", act.player),
      };
    case "name":
      return {
        act: act.hidden ? "hide_name" : "show_name",
        about: tagOf(act.player),
        href: paths.operators("player", act.player),
      };
    case "delete":
      return { act: "delete", about: tagOf(act.player), href: null };
    case "close":
      return { act: "close_room", about: act.room, href: null };
    case "delete_circle":
      return { act: "delete_circle", about: act.circle, href: null };
    case "rename_circle":
      return { act: "rename_circle", about: `${act.circle}, ${act.name}`, href: null };
    case "repair": {
      const all = act.game === "all" ? text.operators.journal.allGames : gameName(act.game);
      return {
        act: "repair_day",
        about: text.operators.ofDay(all, shortDate(act.day)),
        href: null,
      };
    }
    case "case":
      return caseEntry(act);
  }
}

function caseEntry(act: OperatorTypes.CloseCase): ReturnType<typeof entryWords> {
  const name = act.outcome === "resolved" ? "resolve" : "dismiss";
  // The last segment is the id of a player or an attempt; an attempt's ends in a player's id.
  const id = act.case.split("/").at(-1) ?? act.case;
  const page = id.includes(".") ? "run" : "player";
  return { act: name, about: tagOf(id), href: paths.operators(page, id) };
}
