/** Challenges: finished players, the result to beat, and durations in words. */

import type { Challenger, Result } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import { countsOf, doneOf, rowsOf, toBeat } from "../src/challenges/standing.ts";
import { playerIn } from "../src/challenges/playerLink.ts";
import { openWords, spanWords } from "../src/challenges/words.ts";
import { useLanguage, withOwnText } from "../src/text/index.ts";

function result(fields: Partial<Result> = {}): Result {
  const counted = { home: 9, left: 43, time: 60_000, moves: 30, end: "resigned" as const };
  return { ...counted, undos: 0, hints: 0, peeked: false, ...fields };
}

function row(id: string, fields: Partial<Challenger> = {}): Challenger {
  const player = { id, name: id, tag: "", bot: false };
  const hidden = { result: null, rank: null, attempt: null, emotes: [] };
  return { player, state: "ended", ...hidden, ...fields };
}

const SHOWN = { result: result(), rank: 1, attempt: "d.p" };

describe("the players of a challenge", () => {
  it("are done if their runs may be seen", () => {
    const players = [
      row("ada", SHOWN),
      row("bob"),
      row("cleo", { ...SHOWN, state: "playing" }),
      row("dan", { state: "absent" }),
    ];
    expect(doneOf(players).map(({ player }) => player.id)).toEqual(["ada"]);
    const all = { begun: 3, ended: 2 };
    expect(countsOf({ ...all, own: row("ada", SHOWN) })).toEqual({ begun: 2, ended: 1 });
    expect(countsOf({ ...all, own: null })).toEqual({ begun: 3, ended: 2 });
  });

  it("must beat the creator's result, if it is shown and counts", () => {
    const creator = row("ada").player;
    const beat = (target: Result | null) => toBeat({ target, own: null, creator });
    expect(beat(result())).toEqual(result());
    expect(beat(null)).toBeNull();
    expect(beat(result({ time: 0 }))).toBeNull();
    expect(beat(result({ end: null }))).toBeNull();
    const own = row("ada", SHOWN);
    expect(toBeat({ target: null, own, creator }), "to send").toEqual(result());
    expect(toBeat({ target: null, own: row("bob", SHOWN), creator })).toBeNull();
  });

  it("include the first page, further ones, and the player's own row, each once", () => {
    const one = row("ada");
    const two = row("bob");
    const three = row("cleo");
    const known = { players: [one, two], own: one };
    expect(rowsOf(known, [three])).toEqual([one, two, three]);
    expect(rowsOf({ ...known, own: three }, [])).toEqual([one, two, three]);
    expect(rowsOf({ ...known, own: two }, [two])).toEqual([one, two]);
    expect(rowsOf({ ...known, own: null }, [])).toEqual([one, two]);
  });
});

describe("a duration", () => {
  const HOUR = 3_600_000;

  it("is in whole units, and barely overstated", async () => {
    await useLanguage("en");
    await withOwnText("challenges", Promise.resolve());
    expect(spanWords(72 * HOUR - 1)).toBe("3 days");
    expect(spanWords(69 * HOUR)).toBe("2 days");
    expect(spanWords(47 * HOUR)).toBe("47 hours");
    expect(spanWords(1.5 * HOUR)).toBe("90 minutes");
    expect(spanWords(-1)).toBe("1 minute");
    expect(openWords(3_600)).toBe("1 hour");
    expect(openWords(3 * 86_400)).toBe("3 days");
  });
});

describe("players by link", () => {
  it("finds the page's player, and none in other links and words", () => {
    expect(playerIn(" https://play.example/player/0123456789abcdef?x=1 ")).toBe("0123456789abcdef");
    expect(playerIn("https://play.example/r/H7KQ2M4X")).toBeNull();
    expect(playerIn("https://[")).toBeNull();
    expect(playerIn("Grace")).toBeNull();
  });
});
