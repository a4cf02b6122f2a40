import { describe, expect, it } from "vitest";
import { type View, viewOf as seenBy } from "../../src/rules/board.ts";
import { findRuleset, games } from "../../src/rules/catalog.ts";
import { dealSeed } from "../../src/rules/deal.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText, parseMove } from "../../src/rules/notation.ts";
import { apply } from "../../src/rules/play.ts";
import {
  type Table,
  isHome,
  isPointless,
  movesFrom,
  playsToTableau,
} from "../src/board/choices.ts";
import { AT_REST, type InputEvent, type InputState, canLift, step } from "../src/board/input.ts";
import { Pointers } from "../src/board/pointers.ts";
import { numberOf, viewOf } from "./tables.ts";

/** Sends taps, drags and keys by pile name, and records the resulting actions. */
class Driver {
  state: InputState = AT_REST;
  readonly played: string[] = [];
  readonly refused: string[] = [];
  /** The cells for which a second tap was requested. */
  readonly asked: string[] = [];
  shaken = 0;
  private view: View;
  private table: Table;
  private readonly twoStep: boolean;
  private readonly final: boolean;

  constructor(view: View, { twoStep = false, final = false, hint = "" } = {}) {
    this.view = view;
    const shown = hint === "" ? null : parseMove(view.ruleset, hint);
    this.table = { view, moves: legalMoves(view), final, hint: shown };
    this.twoStep = twoStep;
    this.final = final;
  }

  send(event: InputEvent): this {
    const { state, actions } = step(this.state, event, this.table, this.twoStep);
    this.state = state;
    for (const action of actions) {
      if (action.type === "play") this.played.push(moveText(this.view.ruleset, action.move));
      else if (action.type === "shake") this.shaken++;
      else {
        const told = action.type === "ask" ? this.asked : this.refused;
        told.push(this.view.ruleset.pileNames[action.target] ?? "");
      }
    }
    return this;
  }

  place(pile: string, index = 0) {
    return { pile: numberOf(this.view, pile), index };
  }

  tap(pile: string, index = 0, time = 0, at = { x: 10, y: 10 }): this {
    return this.press(pile, index, 1, at).release({ inside: true, time });
  }

  press(pile: string, index = 0, pointer = 1, at = { x: 10, y: 10 }): this {
    return this.send({ type: "press", pointer, at, place: this.place(pile, index) });
  }

  to(x: number, y: number, pointer = 1): this {
    return this.send({ type: "move", pointer, at: { x, y } });
  }

  release({ over = [] as string[], inside = false, time = 0, at = { x: 200, y: 10 } }): this {
    const piles = over.map((name) => numberOf(this.view, name));
    return this.send({ type: "release", pointer: 1, at, over: piles, inside, time });
  }

  becomes(view: View): this {
    this.view = view;
    this.table = { view, moves: legalMoves(view), final: this.final };
    return this.send({ type: "changed" });
  }
}

const race = viewOf("roosevelt", { t0: "5CKS", t1: "QH", t2: "AS", t3: "7D", s: "????", w: "JC" });
const RUN = "KSQHJSTH9S8H7S6H5S4H3S2HAS";

describe("a tap", () => {
  it("sends a card home if it goes there", () => {
    expect(new Driver(race).tap("t2").played).toEqual(["t2>f0"]);
  });

  it("otherwise builds where the longest run results", () => {
    expect(new Driver(race).tap("t1").played).toEqual(["t1>t0"]);
    const two = viewOf("roosevelt", { t0: "8S", t1: "2C", t2: "9H8C", t3: "7D", t4: "4C" });
    expect(new Driver(two).tap("t3").played).toEqual(["t3>t2"]);
  });

  it("uses an empty column if nothing else is possible, but never moves a single card from column to column", () => {
    const lone = { t0: "5C", t1: "9DKH", t2: "KC", t3: "KD", t4: "2C", t5: "2H" };
    expect(new Driver(viewOf("roosevelt", lone)).tap("t1", 1).played).toEqual(["t1>t6"]);
    const vain = new Driver(viewOf("roosevelt", lone)).tap("t0");
    expect(vain.played).toEqual([]);
    expect(vain.shaken).toBe(1);
  });

  it("shakes a card that goes nowhere, and selects nothing", () => {
    const driver = new Driver(race).tap("t0", 0);
    expect(driver.shaken).toBe(1);
    expect(driver.state.selected).toBeNull();
  });

  it("deals from the stock, however fast the taps", () => {
    expect(new Driver(race).tap("s", 1, 0).tap("s", 1, 60).played).toEqual(["s>w", "s>w"]);
    const row = viewOf("rouge-et-noir", { t0: "KS", s: "????" });
    expect(new Driver(row).tap("s", 1).played).toEqual(["s>t"]);
  });

  it("turns the waste over at the empty stock", () => {
    expect(new Driver(viewOf("robert", { f0: "5S", w: "2D3D" })).tap("s").played).toEqual(["w>s"]);
  });

  it("lets the player choose where one place is as good as another", () => {
    const driver = new Driver(viewOf("lady-betty", { s: "??5S" })).tap("s", 1);
    expect(driver.played).toEqual([]);
    expect(driver.tap("t4").played).toEqual(["s>t4"]);
    expect(new Driver(viewOf("lady-betty", { s: "AS" })).tap("s").played).toEqual(["s>f0"]);
  });

  it("moves a run together, and a complete one home", () => {
    const view = viewOf("rouge-et-noir", { t0: `??${RUN}`, t1: "3S2D", t2: "3C" });
    expect(new Driver(view).tap("t0", 1).played).toEqual(["t0>f4x13"]);
    expect(new Driver(view).tap("t0", 12).played).toEqual(["t0>t2x2"]);
  });

  it("does nothing if the pointer left the pressed card", () => {
    expect(new Driver(race).press("s", 1).to(200, 10).release({}).played).toEqual([]);
    expect(new Driver(race).press("s", 1).to(18, 12).release({ inside: true }).played).toEqual([
      "s>w",
    ]);
    expect(new Driver(race).press("t1").release({ inside: false }).played).toEqual([]);
  });

  it("moves if the board moved beneath a still pointer", () => {
    expect(
      new Driver(race).press("s", 1).release({ inside: false, at: { x: 14, y: 12 } }).played,
    ).toEqual(["s>w"]);
  });

  it("ignores the second tap of a double tap", () => {
    const after = viewOf("roosevelt", { t0: "5CKSQH", t1: "", t2: "AS", t3: "7D", w: "JC" });
    const twice = (milliseconds: number, x: number) =>
      new Driver(race).tap("t1").becomes(after).tap("w", 0, milliseconds, { x, y: 10 }).played;
    expect(twice(120, 14)).toEqual(["t1>t0"]);
    expect(twice(600, 14)).toEqual(["t1>t0", "w>t0"]);
    expect(twice(120, 300)).toEqual(["t1>t0", "w>t0"]);
  });
});

/** Yield views of a game played to its end, by moves from all over the list of legal ones. */
function* viewsOf(game: string): Generator<View> {
  let board = dealSeed(findRuleset(game), new Uint8Array(32).fill(3));
  for (let nth = 0; nth < 80; nth++) {
    const moves = legalMoves(board);
    const move = moves[(nth * 7) % Math.max(1, moves.length)];
    if (move === undefined) return;
    yield seenBy(board);
    board = apply(board, move);
  }
}

describe.each(games.map(({ id }) => id))("a tap on any card of %s", (game) => {
  it("plays the only move, and one of several, or shows them", () => {
    let [only, several] = [0, 0];
    for (const view of viewsOf(game)) {
      const table = { view, moves: legalMoves(view) };
      for (const [pile, cards] of view.piles.entries()) {
        for (let index = 0; index < cards.length; index++) {
          const moves = movesFrom(table, { pile, index });
          const useful = moves.filter((move) => !isPointless(view, move));
          if (useful.length === 0) continue;
          const name = view.ruleset.pileNames[pile] ?? "";
          const driver = new Driver(view).tap(name, index);
          const texts = useful.map((move) => moveText(view.ruleset, move));
          if (isHome(view, { pile, index })) {
            // Only a second tap returns a card from a foundation.
            expect(driver.played).toEqual([]);
            expect(driver.state.selected).toEqual({ pile, index });
          } else if (moves.length === 1) {
            expect(driver.played).toEqual(texts);
            only++;
          } else if (driver.played.length > 0) {
            expect(texts).toContain(driver.played[0]);
            several++;
          } else {
            expect(driver.state.selected).toEqual({ pile, index });
            several++;
          }
          expect(driver.shaken).toBe(0);
        }
      }
    }
    expect(only).toBeGreaterThan(0);
    // If no card goes to the tableau, it has only one destination, or some partners.
    const ruleset = findRuleset(game);
    expect(several > 0).toBe(playsToTableau(ruleset) || ruleset.pairs);
  });
});

describe("cards that go home in pairs", () => {
  // The last row, and a card above it that it leaves free.
  const row = { t15: "9H", t21: "9C", t23: "4D", t24: "KS", t25: "QH", t26: "9D" };
  const view = viewOf("pyramid", { ...row, w: "4S" });

  it("go with a tap on one that has a single partner; a King goes alone", () => {
    const queen = viewOf("pyramid", { ...row, w: "AS" });
    expect(new Driver(queen).tap("t25").played).toEqual(["t25>w"]);
    expect(new Driver(queen).tap("w").played).toEqual(["w>t25"]);
    expect(new Driver(view).tap("t24").played).toEqual(["t24>f0"]);
    expect(new Driver(view).tap("t25")).toMatchObject({ played: [], shaken: 1 });
  });

  it("wait for a tap on the partner if there are several, or on the home key", () => {
    const driver = new Driver(view).tap("t21");
    expect(driver).toMatchObject({ played: [], state: { selected: driver.place("t21") } });
    expect(driver.tap("w").played).toEqual(["t21>w"]);
    const key = new Driver(view);
    key.send({ type: "home", place: key.place("t23") });
    expect(key.state.selected).toEqual(key.place("t23"));
  });

  it("go when one is dropped on the other, either way", () => {
    for (const [one, other] of [
      ["t21", "t23"],
      ["t23", "t21"],
    ] as const) {
      const driver = new Driver(view).press(one).to(90, 10);
      expect(driver.release({ over: [other] }).played).toEqual([`${one}>${other}`]);
    }
  });

  it("cannot be lifted or tapped while others lie on them", () => {
    const covered = viewOf("pyramid", { t0: "9H", t1: "2S", t2: "4D" });
    const table = { view: covered, moves: legalMoves(covered) };
    expect(canLift(table, { pile: numberOf(covered, "t0"), index: 0 })).toBe(false);
    expect(canLift(table, { pile: numberOf(covered, "t2"), index: 0 })).toBe(true);
    expect(new Driver(covered).tap("t0")).toMatchObject({ played: [], shaken: 1 });
  });
});

describe("a tap with cells, runs of a suit and foundations that give back", () => {
  const full = { t4: "2S", t5: "2H", t6: "2D", t7: "2C" };

  it("uses a cell only as a last resort", () => {
    const column = viewOf("freecell", { ...full, t0: "5C9D", t1: "KS", t2: "KH" });
    expect(new Driver(column).tap("t0", 1).played).toEqual(["t0>t3"]);
    const build = viewOf("freecell", { ...full, t0: "5C9D", t1: "TS", t2: "KH", t3: "KC" });
    expect(new Driver(build).tap("t0", 1).played).toEqual(["t0>t1"]);
    const cell = viewOf("freecell", { ...full, t0: "5C9D", t1: "KS", t2: "KH", t3: "KC" });
    expect(new Driver(cell).tap("t0", 1).played).toEqual(["t0>c0"]);
    const two = viewOf("freecell", { ...full, t0: "5C9D8S", t1: "KS", t2: "KH" });
    expect(new Driver(two).tap("t0", 1).played).toEqual(["t0>t3x2"]);
  });

  it("asks before it fills the last cell, if no move can be undone", () => {
    const piles = { ...full, t0: "5C9D", t1: "KS", t2: "KH", t3: "KC" };
    const last = viewOf("freecell", { ...piles, c0: "AS", c1: "AH", c2: "AD" });
    expect(new Driver(last).tap("t0", 1).played).toEqual(["t0>c3"]);
    const driver = new Driver(last, { final: true }).tap("t0", 1);
    expect([driver.played, driver.asked]).toEqual([[], ["c3"]]);
    // Other cards ask again, and the same ones go.
    driver.tap("t1", 0, 1_000);
    expect(driver.asked).toEqual(["c3", "c3"]);
    expect(driver.tap("t1", 0, 2_000).played).toEqual(["t1>c3"]);
    const chosen = new Driver(last, { final: true }).tap("t0", 1).tap("c3", 0, 1_000);
    expect(chosen.played).toEqual(["t0>c3"]);
    const two = viewOf("freecell", { ...piles, c0: "AS", c1: "AH" });
    expect(new Driver(two, { final: true }).tap("t0", 1).played).toEqual(["t0>c2"]);
  });

  it("plays a card from a cell, and sends it home after a double tap", () => {
    const view = viewOf("freecell", { ...full, t0: "5C", t1: "TS", t2: "KH", c0: "9D" });
    expect(new Driver(view).tap("c0").played).toEqual(["c0>t1"]);
    const ace = viewOf("freecell", { ...full, t0: "5CKD", t1: "TS", t2: "KH", t3: "KC" });
    const driver = new Driver(ace).tap("t0", 1, 0);
    expect(driver.played).toEqual(["t0>c0"]);
    driver.becomes(viewOf("freecell", { ...full, t0: "5C", t1: "6H", c0: "KD" })).tap("t0", 0, 100);
    expect(driver.played).toEqual(["t0>c0"]);
  });

  it("prefers the suit with which the cards can move on", () => {
    const view = viewOf("spider", { t0: "QHJHTH9S", t1: "9H", t2: "8H" });
    expect(new Driver(view).tap("t2").played).toEqual(["t2>t1"]);
  });

  it("selects a card on a foundation, for the column that takes it", () => {
    const view = viewOf("klondike", { f0: "ASAH2H", t0: "3S", t1: "3C" });
    const driver = new Driver(view).tap("f0", 2);
    expect(driver.played).toEqual([]);
    expect(driver.tap("t1").played).toEqual(["f0>t1"]);
    expect(canLift({ view, moves: legalMoves(view) }, driver.place("f0", 2))).toBe(true);
    const none = viewOf("klondike", { f0: "AS", t0: "3S" });
    expect(canLift({ view: none, moves: legalMoves(none) }, driver.place("f0"))).toBe(false);
  });

  it("says why no row can be dealt", () => {
    const driver = new Driver(
      viewOf("spider", { t0: "KSQSJSTS9S8S7S6S5S", t1: "4H", s: "????" }),
    ).tap("s", 1);
    expect(driver.played).toEqual([]);
    expect(driver.refused).toHaveLength(1);
  });
});

describe("two-step play", () => {
  const twoStep = { twoStep: true };

  it("selects a card and moves it to the next tapped pile", () => {
    const driver = new Driver(race, twoStep).tap("t1");
    expect(driver.state.selected).toEqual(driver.place("t1"));
    expect(driver.tap("t0", 1).played).toEqual(["t1>t0"]);
    expect(driver.state.selected).toBeNull();
  });

  it("selects the tapped card instead if the move is illegal", () => {
    const driver = new Driver(race, twoStep).tap("t1").tap("w");
    expect(driver.state.selected).toEqual(driver.place("w"));
    expect(driver.played).toEqual([]);
  });

  it("deselects with a second tap, and with Escape", () => {
    expect(new Driver(race, twoStep).tap("t1").tap("t1").state.selected).toBeNull();
    expect(new Driver(race, twoStep).tap("t1").send({ type: "escape" }).state).toEqual(AT_REST);
  });

  it("deals from the stock, whatever is selected", () => {
    expect(new Driver(race, twoStep).tap("t1").tap("s", 1).played).toEqual(["s>w"]);
  });
});

describe("keys", () => {
  it("play the best move, send home, and pick up and put down", () => {
    const driver = new Driver(race);
    driver.send({ type: "activate", place: driver.place("t1") });
    driver.send({ type: "home", place: driver.place("t2") });
    expect(driver.played).toEqual(["t1>t0", "t2>f0"]);
    driver.send({ type: "select", place: driver.place("t1") });
    expect(driver.state.selected).toEqual(driver.place("t1"));
    driver.send({ type: "select", place: driver.place("t3") });
    expect(driver.refused).toEqual(["t3"]);
    driver.send({ type: "select", place: driver.place("t0", 1) });
    expect(driver.played.at(-1)).toBe("t1>t0");
  });

  it("shake a card that does not go home", () => {
    const driver = new Driver(race);
    expect(driver.send({ type: "home", place: driver.place("t3") }).shaken).toBe(1);
  });
});

describe("dragging", () => {
  it("starts after a few pixels", () => {
    const driver = new Driver(race).press("t1").to(13, 12);
    expect(driver.state.press?.dragging).toBe(false);
    expect(driver.to(40, 30).state.press?.dragging).toBe(true);
  });

  it("does not change the state with each pointer move", () => {
    const driver = new Driver(race).press("t1").to(60, 60);
    const before = driver.state;
    expect(driver.to(70, 70).state).toBe(before);
  });

  it("plays to the first legal pile under the cards", () => {
    const over = ["t3", "t0"];
    expect(new Driver(race).press("t1").to(60, 60).release({ over }).played).toEqual(["t1>t0"]);
  });

  it("reports the pile that refused the cards, unless it is their own", () => {
    const missed = new Driver(race)
      .press("t1")
      .to(60, 60)
      .release({ over: ["t3"] });
    expect(missed.played).toEqual([]);
    expect(missed.refused).toEqual(["t3"]);
    expect(missed.state).toEqual(AT_REST);
    const back = new Driver(race)
      .press("t1")
      .to(60, 60)
      .release({ over: ["t1"], inside: true });
    expect([back.played, back.refused]).toEqual([[], []]);
  });

  it("lifts any face-up card, except from a foundation or a stock that deals", () => {
    const view = viewOf("rouge-et-noir", { f0: "AH", t0: "??9D", t1: "KSQS", s: "??" });
    const table = { view, moves: legalMoves(view) };
    const lifts = (pile: string, index: number) =>
      canLift(table, { pile: numberOf(view, pile), index });
    expect([lifts("t0", 1), lifts("t1", 0)]).toEqual([true, true]);
    expect([lifts("t0", 0), lifts("f0", 0), lifts("s", 0), lifts("t5", 0)]).not.toContain(true);
  });

  it("follows one pointer at a time, and ends when cancelled", () => {
    const driver = new Driver(race).press("t1").press("t2", 0, 2).to(90, 90, 2);
    expect(driver.state.press?.place).toEqual(driver.place("t1"));
    expect(driver.state.press?.dragging).toBe(false);
    driver.to(90, 90).send({ type: "cancel", pointer: 1 });
    expect(driver.state).toEqual(AT_REST);
  });

  it("ends when a new view has moved the cards", () => {
    const driver = new Driver(race).press("t1").to(90, 90);
    driver.becomes(viewOf("roosevelt", { t0: "5CKSQH", t3: "7D", s: "????" }));
    expect(driver.state.press).toBeNull();
  });

  it("continues when a new view has not moved the cards", () => {
    const driver = new Driver(race).press("t1").to(90, 90);
    driver.becomes(viewOf("roosevelt", { t0: "5CKS", t1: "QH", s: "??", w: "JC2D" }));
    expect(driver.state.press?.dragging).toBe(true);
  });
});

describe("a tap while a hint is shown", () => {
  it("plays the hint's move, where the tap alone would play another or none", () => {
    const klondike = viewOf("klondike", { f0: "AD2D3D4D", t0: "5S" });
    expect(new Driver(klondike).tap("f0", 3).played).toEqual([]);
    expect(new Driver(klondike, { hint: "f0>t0" }).tap("f0", 3).played).toEqual(["f0>t0"]);
    const several = viewOf("freecell", { t0: "5H", t1: "6S", t2: "6C" });
    expect(new Driver(several).tap("t0").played).toEqual(["t0>t1"]);
    expect(new Driver(several, { hint: "t0>t2" }).tap("t0").played).toEqual(["t0>t2"]);
    expect(new Driver(several, { hint: "t1>c0" }).tap("t0").played).toEqual(["t0>t1"]);
  });

  it("brings home the pair that it shows, of several", () => {
    const row = viewOf("pyramid", { t21: "5D", t22: "8C", t23: "8H" });
    expect(new Driver(row).tap("t21").played).toEqual([]);
    expect(new Driver(row, { hint: "t21>t23" }).tap("t21").played).toEqual(["t21>t23"]);
  });

  it("only selects with two-step taps", () => {
    const view = viewOf("freecell", { t0: "5H", t1: "6S" });
    const twoStep = new Driver(view, { twoStep: true, hint: "t0>t1" }).tap("t0");
    expect(twoStep.played).toEqual([]);
    expect(twoStep.tap("t1").played).toEqual(["t0>t1"]);
  });
});

describe("a moving finger", () => {
  it("scrolls nothing while it drags cards, so that the next tap has no fling to stop", () => {
    const driver = new Driver(race);
    const pointers = new Pointers(
      () => ({ input: driver.state }) as ReturnType<ConstructorParameters<typeof Pointers>[0]>,
      () => undefined,
    );
    const moves = (cancelable = true) => {
      const event = new Event("touchmove", { cancelable });
      pointers.touch(event);
      return event.defaultPrevented;
    };
    expect(moves()).toBe(false);
    driver.press("t0", 1);
    expect(moves()).toBe(false);
    driver.to(60, 10);
    expect([moves(), moves(false)]).toEqual([true, false]);
    driver.release({});
    expect(moves()).toBe(false);
  });
});
