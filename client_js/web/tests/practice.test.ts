import { describe, expect, it } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import { parseMove } from "../../src/rules/notation.ts";
import { Replay } from "../../src/run.ts";
import { file, runOf } from "../../tests/runs.ts";
import { compare } from "../src/parts/ending/margin.ts";
import { ghostOf } from "../src/practice/ghost.ts";
import { beginPractice, raceOn } from "../src/practice/beginning.ts";
import { Practice } from "../src/practice/practice.svelte.ts";
import { MemoryStorage } from "./storage.ts";

function playSome(practice: Practice, count: number): void {
  for (let nth = 0; nth < count; nth++) {
    const [move] = legalMoves(practice.view);
    if (move) practice.play(move);
  }
}

describe("practice", () => {
  it("resumes after a reload, and undoes moves one by one", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("roosevelt", storage);
    const opening = practice.view;
    expect(practice.begun).toBe(false);
    playSome(practice, 5);
    // Two reloads without a move in between.
    new Practice("roosevelt", storage);
    const again = new Practice("roosevelt", storage);
    expect(again.view).toEqual(practice.view);
    for (let nth = 0; nth < 5; nth++) again.undo();
    expect([again.view, again.undos]).toEqual([opening, 5]);
    again.undo();
    expect([again.view, again.undos]).toEqual([opening, 5]);
  });

  it("marks undos, and whether one covered a seen card, including after a reload", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    const deal = { source: practice.ruleset.stock, target: practice.ruleset.waste!, count: 1 };
    practice.play(deal);
    practice.undo();
    for (const each of [practice, new Practice("robert", storage)]) {
      expect([each.undos, each.hints, each.peeked]).toEqual([1, 0, true]);
      expect(each.view.moves).toBe(0);
    }
    practice.deal();
    expect([practice.undos, practice.peeked]).toEqual([0, false]);
  });

  it("gives a hint once per board, stores it, and drops it with the next move", async () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    const { move } = (await practice.giveHint())!;
    if (move === null) throw new Error("There is always a hint at the start.");
    expect((await practice.giveHint())?.move).toEqual(move);
    const again = new Practice("robert", storage);
    expect([again.hint, again.hints]).toEqual([move, 1]);
    again.play(move);
    expect(again.hint).toBeNull();
    again.undo();
    expect([again.hint, again.hints]).toEqual([null, 1]);
    expect(new Practice("robert", storage).hint).toBeNull();
  });

  it("ignores a stored hint that is not a move of its board", async () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    await practice.giveHint();
    const kept = JSON.parse(storage.getItem("samedeal.practice.robert") ?? "") as object;
    const wrong = { ...kept, hint: "t0>t9", undos: -1, hints: "many" };
    storage.setItem("samedeal.practice.robert", JSON.stringify(wrong));
    const other = new Practice("robert", storage);
    expect([other.hint, other.undos, other.hints]).toEqual([null, 0, 0]);
  });

  it("shows no face-down card", () => {
    const { view } = new Practice("rouge-et-noir", new MemoryStorage());
    expect(view.piles.flat().filter((card) => card < 52)).toHaveLength(9);
  });

  it("deals other cards with `deal`, and the same ones with `restart`", () => {
    const practice = new Practice("deuces", new MemoryStorage());
    const opening = practice.view;
    playSome(practice, 3);
    practice.restart();
    expect(practice.view).toEqual(opening);
    practice.deal();
    expect(practice.view.piles).not.toEqual(opening.piles);
  });

  it("plays no illegal move", () => {
    const practice = new Practice("robert", new MemoryStorage());
    expect(practice.play({ source: 0, target: 1, count: 1 })).toBe(false);
    expect(practice.begun).toBe(false);
  });

  it.each(["", "{", "null", "[]", '{"seed":"x","moves":[]}', '{"seed":7}'])(
    "deals a new game if %s is stored",
    (text) => {
      const storage = new MemoryStorage();
      storage.setItem("samedeal.practice.robert", text);
      expect(new Practice("robert", storage).view.piles.flat()).toHaveLength(52);
    },
  );

  it("keeps the stored moves up to the first illegal one", () => {
    const storage = new MemoryStorage();
    const seed = "ab".repeat(32);
    storage.setItem(
      "samedeal.practice.roosevelt",
      JSON.stringify({ seed, moves: ["s>w", "w>f7", "s>w"] }),
    );
    expect(new Practice("roosevelt", storage).view.moves).toBe(1);
  });

  it("uses the game's original rules, and reports if they are unknown", () => {
    const storage = new MemoryStorage();
    const practice = new Practice("robert", storage);
    playSome(practice, 3);
    const kept = storage.getItem("samedeal.practice.robert") ?? "";
    const { rules, ...unnamed } = JSON.parse(kept) as { rules: string };
    expect(rules).toBe(practice.ruleset.digest);
    const old = new Practice("robert", storage);
    expect([old.lost, old.view]).toEqual([false, practice.view]);
    storage.setItem(
      "samedeal.practice.robert",
      JSON.stringify({ ...unnamed, rules: "0".repeat(16) }),
    );
    const other = new Practice("robert", storage);
    expect([other.lost, other.begun]).toEqual([true, false]);
    expect(new Practice("robert", storage).lost).toBe(false);
  });
});

describe("a race against a ghost", () => {
  const replay = new Replay(runOf(file.moves));

  function begun(): { storage: MemoryStorage; practice: Practice } {
    const storage = new MemoryStorage();
    beginPractice(raceOn(replay.run, ghostOf(replay)), storage, true);
    return { storage, practice: new Practice(file.game, storage) };
  }

  /** Play the run's own moves, each at the run's time plus `later`. */
  function follow(practice: Practice, moves: number, later = 0, from = practice.view.moves): void {
    for (const [text, time] of file.moves.slice(from, moves)) {
      practice.race?.advance(time + later - practice.race.elapsed);
      expect(practice.play(parseMove(practice.ruleset, text))).toBe(true);
    }
  }

  it("uses the run's deal and rules, and is level with it move by move", () => {
    const { practice } = begun();
    expect(practice.race?.ghost).toEqual(ghostOf(replay));
    expect(practice.view.piles).toEqual(viewOfRun(0));
    follow(practice, file.moves.length);
    expect(practice.view.piles).toEqual(viewOfRun(file.moves.length));
    const { end: _, ...result } = practice.result;
    expect({ ...file.result, undos: 0, hints: 0, peeked: false }).toMatchObject(result);
    expect(compare(practice.result, file.result)).toEqual({ order: "level" });
  });

  it("survives a reload, with its times, and continues", () => {
    const { storage, practice } = begun();
    follow(practice, 20, 700);
    practice.race?.advance(50_000);
    practice.save();
    const again = new Practice(file.game, storage);
    expect(again.race?.stored).toEqual(practice.race?.stored);
    expect(again.result).toEqual(practice.result);
    follow(again, file.moves.length, 700);
    expect(compare(again.result, file.result)).toEqual({ order: "behind", milliseconds: 700 });
  });

  it("counts the time of undone moves, and stops and restarts on request", () => {
    const { storage, practice } = begun();
    follow(practice, file.moves.length);
    while (practice.begun) practice.undo();
    // Each undo is a move, too.
    const undone = { moves: 2 * file.moves.length, undos: file.moves.length };
    expect(practice.result).toMatchObject({ time: 0, home: 0, ...undone });
    follow(practice, file.moves.length, 60_000, 0);
    expect(practice.result.time).toBe(file.result.time + 60_000);
    if (practice.race) practice.race.stopped = true;
    practice.save();
    expect(new Practice(file.game, storage).race?.stopped).toBe(true);
    practice.restart();
    const again = new Practice(file.game, storage);
    expect(again.race?.stored).toMatchObject({ elapsed: 0, times: [], stopped: false });
    expect(again.view.piles).toEqual(viewOfRun(0));
  });

  it("advances between ticks, and stands still in pauses", () => {
    const { practice } = begun();
    const { race } = practice;
    for (const now of [5_000, 5_250, 5_600]) race?.tick(now);
    expect(race?.elapsed).toBe(600);
    // The window was hidden, or the device asleep.
    race?.tick(95_600);
    expect(race?.elapsed).toBe(600);
    race?.tick(95_850);
    race?.pause();
    race?.tick(96_350);
    race?.tick(96_400);
    expect(race?.elapsed).toBe(900);
  });

  it("can be dropped, which keeps the deal, and ends with a new deal", () => {
    const { storage, practice } = begun();
    follow(practice, 10);
    practice.dropRace();
    const without = new Practice(file.game, storage);
    expect([without.race, without.view.piles]).toEqual([null, practice.view.piles]);
    beginPractice(raceOn(replay.run, ghostOf(replay)), storage, true);
    const other = new Practice(file.game, storage);
    other.deal();
    expect([other.race, new Practice(file.game, storage).race]).toEqual([null, null]);
  });

  it("replaces a game in progress only after confirmation", () => {
    const storage = new MemoryStorage();
    const race = raceOn(replay.run, ghostOf(replay));
    const practice = new Practice(file.game, storage);
    expect(beginPractice(race, storage)).toBe(0);
    // Nothing had been played.
    expect(new Practice(file.game, storage).race?.ghost).toEqual(race.deal.race?.ghost);
    practice.deal();
    playSome(practice, 3);
    const before = storage.getItem(`samedeal.practice.${file.game}`);
    expect(beginPractice(race, storage)).toBe(practice.view.moves);
    expect(storage.getItem(`samedeal.practice.${file.game}`)).toBe(before);
    expect(beginPractice(race, storage, true)).toBe(0);
    // Returning by the same link continues.
    const raced = new Practice(file.game, storage);
    follow(raced, 2);
    expect(beginPractice(race, storage)).toBe(0);
    expect(new Practice(file.game, storage).view.moves).toBe(2);
    // The deal without the race is another game, and a stopped race is over.
    const { race: _, ...deal } = race.deal;
    expect(beginPractice({ game: file.game, deal }, storage)).toBe(2);
    raced.race!.stopped = true;
    raced.save();
    expect(beginPractice(race, storage)).toBe(0);
    expect(new Practice(file.game, storage).begun).toBe(false);
  });

  it("is dropped if stored malformed, and the deal is kept", () => {
    const { storage, practice } = begun();
    follow(practice, 3);
    const key = `samedeal.practice.${file.game}`;
    const stored = JSON.parse(storage.getItem(key) ?? "") as { race: object };
    const ghost = ghostOf(replay);
    const { name: _, ...nameless } = ghost;
    const { result: __, ...endless } = ghost;
    const ghosts = [null, nameless, endless, { ...ghost, steps: [[1]] }, { ...ghost, ended: null }];
    const races = ghosts.map((each) => ({ ...stored.race, ghost: each }));
    for (const race of [7, {}, { ...stored.race, times: ["x"] }, ...races]) {
      storage.setItem(key, JSON.stringify({ ...stored, race }));
      const again = new Practice(file.game, storage);
      expect([again.race, again.view.moves]).toEqual([null, 3]);
    }
  });

  function viewOfRun(moves: number): unknown {
    const storage = new MemoryStorage();
    const stored = { seed: file.seed, variant: file.variant, rules: file.rules };
    const played = file.moves.slice(0, moves).map(([text]) => text);
    storage.setItem(`samedeal.practice.${file.game}`, JSON.stringify({ ...stored, moves: played }));
    return new Practice(file.game, storage).view.piles;
  }
});
