import { describe, expect, it } from "vitest";
import { Replay } from "../../src/run.ts";
import { file, runOf } from "../../tests/runs.ts";
import { type Outcome, compare } from "../src/parts/ending/margin.ts";
import { ghostAt, ghostOf, ghostWords } from "../src/practice/ghost.ts";
import { texts as de } from "../src/text/generated/de.later.ts";

const replay = new Replay(runOf(file.moves));
const ghost = ghostOf(replay);

describe("a ghost", () => {
  it("has the run's cards home at each time, and its end", () => {
    for (const time of [...replay.times, ...replay.times.map((at) => at - 1), 1e9]) {
      const home = replay.home[replay.movesAt(time)];
      const end = time < file.ended ? null : file.result.end;
      expect(ghostAt(ghost, Math.max(0, time))).toEqual({ home, end });
    }
  });

  it("has counters only, and no card or move", () => {
    const kept = JSON.stringify(ghost);
    expect(kept).not.toContain(file.seed);
    expect(kept).not.toMatch(/[a-z]\d?>/);
    expect(ghost.steps).toHaveLength(replay.arrivals.length + 1);
  });
});

describe("a comparison", () => {
  const ada: Outcome = { home: 12, time: 60_000 };

  it("compares cards, and the time of the last one if tied", () => {
    expect(compare({ home: 13, time: 90_000 }, ada)).toEqual({ order: "ahead", cards: 1 });
    expect(compare({ home: 9, time: 10_000 }, ada)).toEqual({ order: "behind", cards: 3 });
    expect(compare({ home: 12, time: 48_000 }, ada)).toEqual({
      order: "ahead",
      milliseconds: 12_000,
    });
    expect(compare(ada, ada)).toEqual({ order: "level" });
  });

  it("is reversed for the other run", () => {
    const opposite = { ahead: "behind", behind: "ahead", level: "level" };
    for (const home of [11, 12, 13]) {
      for (const time of [59_000, 60_000, 61_000]) {
        const own = { home, time };
        const turned = compare(ada, own);
        expect(compare(own, ada)).toEqual({ ...turned, order: opposite[turned.order] });
      }
    }
  });

  it("has words", () => {
    const words = (home: number, time: number, name: string | null = "Ada") =>
      ghostWords(name, compare({ home, time }, ada));
    expect(words(12, 48_000)).toBe("You beat Ada’s run by 12 s.");
    expect(words(9, 0)).toBe("3 cards behind Ada’s run.");
    expect(words(13, 0, null)).toBe("You beat your earlier run by 1 card.");
    expect(words(12, 60_010)).toBe("0.1 s behind Ada’s run.");
    expect(words(12, 125_000)).toBe("1:05 min behind Ada’s run.");
    expect(words(12, 60_000)).toBe("Level with Ada’s run.");
    expect(de.ghostEnd.ahead("Ada", "1,5 s")).toBe("1,5 s besser als die Partie von Ada!");
    expect(de.ghostEnd.level(null)).toBe("Gleichauf mit deiner früheren Partie.");
  });
});
