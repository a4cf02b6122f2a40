import { describe, expect, it } from "vitest";
import type { View } from "../../src/rules/board.ts";
import { legalMoves } from "../../src/rules/moves.ts";
import { moveText } from "../../src/rules/notation.ts";
import { AT_REST, type InputEvent, type InputState, type Table, step } from "../src/board/input.ts";
import { numberOf, viewOf } from "./tables.ts";

/** A player at a table: taps and drags by pile name, and what came of them. */
class Hand {
  state: InputState = AT_REST;
  readonly played: string[] = [];
  shaken = 0;
  private view: View;
  private table: Table;

  constructor(view: View) {
    this.view = view;
    this.table = { view, moves: legalMoves(view) };
  }

  send(event: InputEvent): this {
    const { state, actions } = step(this.state, event, this.table);
    this.state = state;
    for (const action of actions) {
      if (action.type === "play") this.played.push(moveText(this.view.ruleset, action.move));
      else this.shaken++;
    }
    return this;
  }

  place(pile: string, index = 0) {
    return { pile: numberOf(this.view, pile), index };
  }

  tap(pile: string, index = 0, time = 0): this {
    return this.press(pile, index).send({ type: "release", pointer: 1, over: [], time });
  }

  press(pile: string, index = 0, pointer = 1): this {
    return this.send({
      type: "press",
      pointer,
      at: { x: 10, y: 10 },
      place: this.place(pile, index),
    });
  }

  to(x: number, y: number, pointer = 1): this {
    return this.send({ type: "move", pointer, at: { x, y } });
  }

  release(...over: string[]): this {
    const piles = over.map((name) => numberOf(this.view, name));
    return this.send({ type: "release", pointer: 1, over: piles, time: 0 });
  }

  becomes(view: View): this {
    this.view = view;
    this.table = { view, moves: legalMoves(view) };
    return this.send({ type: "changed" });
  }
}

const race = viewOf("roosevelt", { t0: "5CKS", t1: "QH", t2: "AS", t3: "7D", s: "????", w: "JC" });

describe("tapping", () => {
  it("selects a card and moves it to the next pile tapped", () => {
    const hand = new Hand(race).tap("t1");
    expect(hand.state.selected).toEqual(hand.place("t1"));
    expect(hand.tap("t0", 1).played).toEqual(["t1>t0"]);
    expect(hand.state.selected).toBeNull();
  });

  it("selects another card when the one tapped takes none", () => {
    const hand = new Hand(race).tap("t1").tap("w");
    expect(hand.state.selected).toEqual(hand.place("w"));
    expect(hand.played).toEqual([]);
  });

  it("unselects with a second tap, and with Escape", () => {
    expect(new Hand(race).tap("t1").tap("t1", 0, 5000).state.selected).toBeNull();
    expect(new Hand(race).tap("t1").send({ type: "escape" }).state).toEqual(AT_REST);
  });

  it("sends a card home on a double tap, and not on a slow one", () => {
    expect(new Hand(race).tap("t2").tap("t2", 0, 300).played).toEqual(["t2>f0"]);
    expect(new Hand(race).tap("t2").tap("t2", 0, 900).played).toEqual([]);
  });

  it("shakes a card that goes nowhere", () => {
    const hand = new Hand(race).tap("t0", 0);
    expect(hand.shaken).toBe(1);
    expect(hand.state.selected).toBeNull();
  });

  it("deals from the stock, whatever is selected", () => {
    expect(new Hand(race).tap("t1").tap("s", 1).played).toEqual(["s>w"]);
    const row = viewOf("rouge-et-noir", { t0: "KS", s: "????" });
    expect(new Hand(row).tap("s", 1).played).toEqual(["s>t"]);
  });

  it("turns the waste over on a tap at the empty stock", () => {
    expect(new Hand(viewOf("robert", { f0: "5S", w: "2D3D" })).tap("s").played).toEqual(["w>s"]);
  });

  it("selects a stock whose top card is face up", () => {
    const hand = new Hand(viewOf("lady-betty", { s: "??AS" })).tap("s", 1);
    expect(hand.played).toEqual([]);
    expect(hand.tap("t4").played).toEqual(["s>t4"]);
    expect(new Hand(viewOf("lady-betty", { s: "AS" })).tap("s").tap("s").played).toEqual(["s>f0"]);
  });

  it("takes a run along, and a whole one home", () => {
    const run = "KSQHJSTH9S8H7S6H5S4H3S2HAS";
    const view = viewOf("rouge-et-noir", { t0: `??${run}`, t1: "3S2D", t2: "3C" });
    expect(new Hand(view).tap("t0", 1).tap("t0", 1).played).toEqual(["t0>f4x13"]);
    expect(new Hand(view).tap("t0", 12).tap("t1", 1).shaken).toBe(0);
    expect(new Hand(view).tap("t0", 12).tap("t2").played).toEqual(["t0>t2x2"]);
  });

  it("means the same from the keyboard", () => {
    const hand = new Hand(race);
    hand.send({ type: "activate", place: hand.place("t1"), time: 0 });
    hand.send({ type: "activate", place: hand.place("t0", 1), time: 2000 });
    expect(hand.played).toEqual(["t1>t0"]);
  });
});

describe("dragging", () => {
  it("begins only beyond a few pixels, and then follows the pointer", () => {
    const hand = new Hand(race).press("t1").to(13, 12);
    expect(hand.state.press?.by).toBeNull();
    expect(hand.to(40, 30).state.press?.by).toEqual({ x: 30, y: 20 });
  });

  it("plays to the best pile beneath that takes the cards", () => {
    expect(new Hand(race).press("t1").to(60, 60).release("t3", "t0").played).toEqual(["t1>t0"]);
    const missed = new Hand(race).press("t1").to(60, 60).release("t3");
    expect(missed.played).toEqual([]);
    expect(missed.state).toEqual(AT_REST);
  });

  it("does not pick up what cannot move", () => {
    expect(new Hand(race).press("t0", 0).to(90, 90).state.press?.by).toBeNull();
  });

  it("heeds one pointer at a time, and lets go when it is cancelled", () => {
    const hand = new Hand(race).press("t1").press("t2", 0, 2).to(90, 90, 2);
    expect(hand.state.press?.place).toEqual(hand.place("t1"));
    expect(hand.state.press?.by).toBeNull();
    hand.to(90, 90).send({ type: "cancel", pointer: 1 });
    expect(hand.state).toEqual(AT_REST);
  });

  it("lets go of cards that another view took away", () => {
    const hand = new Hand(race).press("t1").to(90, 90);
    hand.becomes(viewOf("roosevelt", { t0: "5CKSQH", t3: "7D", s: "????" }));
    expect(hand.state.press).toBeNull();
  });

  it("holds on to cards that the new view still has", () => {
    const hand = new Hand(race).press("t1").to(90, 90);
    hand.becomes(viewOf("roosevelt", { t0: "5CKS", t1: "QH", s: "??", w: "JC2D" }));
    expect(hand.state.press?.by).toEqual({ x: 80, y: 80 });
  });
});
