import { describe, expect, it } from "vitest";
import { legalMoves } from "../../src/rules/moves.ts";
import type { View } from "../../src/rules/board.ts";
import { AT_REST, type InputState } from "../src/board/input.ts";
import { layOut } from "../src/board/layout.ts";
import { type Scene, looksOf } from "../src/board/looks.ts";
import { reconcile } from "../src/board/reconcile.ts";
import { numberOf, viewOf } from "./tables.ts";

const VIEW = viewOf("roosevelt", { t0: "9S8H", t1: "2C", t2: "9D", w: "AC2H3D5C7D9C", s: "????" });

function looks(view: View, changes: Partial<Scene> = {}) {
  const scene: Scene = {
    table: { view, moves: legalMoves(view) },
    layout: layOut(view, 390, 800, "right"),
    input: AT_REST,
    targets: new Set(),
    hint: null,
    guided: null,
    refused: null,
    ...changes,
  };
  return looksOf(reconcile([], view), scene);
}

/** Return the cards with a mark, as `t0.1`. */
function marked(mark: string, ...of: Parameters<typeof looks>): string[] {
  return looks(...of)
    .filter(({ marks }) => marks.split(" ").includes(mark))
    .map(({ pile, piece }) => `${pile}.${piece.index}`);
}

function pressed(pile: string, index: number, dragging: boolean): InputState {
  const place = { pile: numberOf(VIEW, pile), index };
  return { ...AT_REST, press: { pointer: 1, place, from: { x: 0, y: 0 }, dragging } };
}

describe("looks", () => {
  it("have the face of a seen card, and a back for an unseen one", () => {
    const faces = new Map(looks(VIEW).map(({ pile, piece, face }) => [pile + piece.index, face]));
    expect(faces.get("s0")).toMatch(/-back$/);
    expect(faces.get("t10")).not.toMatch(/-back$/);
    expect(faces.get("t10")).not.toBe(faces.get("t20"));
  });

  it("mark the pressed card and those on it, as held when dragged", () => {
    expect(marked("pressed", VIEW, { input: pressed("t0", 0, false) })).toEqual(["t0.0", "t0.1"]);
    expect(marked("held", VIEW, { input: pressed("t0", 0, false) })).toEqual([]);
    expect(marked("held", VIEW, { input: pressed("t0", 1, true) })).toEqual(["t0.1"]);
  });

  it("never mark a face-down card as held", () => {
    expect(marked("held", VIEW, { input: pressed("s", 0, true) })).toEqual([]);
  });

  it("mark the cards of peaks that others cover, and put those on top", () => {
    const peaks = viewOf("pyramid", { t0: "9H", t1: "2S", t2: "4D", w: "KC" });
    expect(marked("covered", peaks)).toEqual(["t0.0"]);
    const layers = new Map(looks(peaks).map(({ pile, layer }) => [pile, layer]));
    expect(layers.get("t0")).toBeLessThan(layers.get("t1")!);
    expect(layers.get("w")).toBe(0);
  });

  it("keep all cards that fly home when the tableau is cleared", () => {
    const home = "2S3S4S5S6S7S8S9S";
    expect(marked("buried", viewOf("pyramid", { f0: home }))).toEqual([]);
    expect(marked("buried", viewOf("pyramid", { f0: home, t0: "KS" }))).toContain("f0.0");
  });

  it("mark only the top card of a target", () => {
    expect(marked("target", VIEW, { targets: new Set([numberOf(VIEW, "t0")]) })).toEqual(["t0.1"]);
  });

  it("mark the cards of a hint, or in the guide those of useful moves until one is pressed", () => {
    const hint = { source: numberOf(VIEW, "t0"), target: numberOf(VIEW, "t2"), count: 1 };
    expect(marked("hinted", VIEW, { hint })).toEqual(["t0.1"]);
    expect(marked("target", VIEW, { hint })).toEqual(["t2.0"]);
    const guided = [{ pile: numberOf(VIEW, "t0"), index: 1 }];
    expect(marked("hinted", VIEW, { guided })).toEqual(["t0.1"]);
    const input = pressed("t1", 0, false);
    expect(marked("hinted", VIEW, { guided, input })).toEqual([]);
  });

  it("shake only the refused card", () => {
    const refused = { place: { pile: numberOf(VIEW, "t1"), index: 0 }, count: 3 };
    const shaking = looks(VIEW, { refused }).filter(({ shakes }) => shakes > 0);
    expect(shaking.map(({ pile, shakes }) => [pile, shakes])).toEqual([["t1", 3]]);
  });

  it("mark fully covered cards as buried, in squared piles only", () => {
    expect(marked("buried", VIEW)).toEqual(["w.0", "w.1"]);
  });
});
