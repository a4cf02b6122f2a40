import type { Neighbours, RoomState } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import { neighboursOf } from "../src/race/neighbours.ts";

const player = (id: string) => ({ id, name: id.toUpperCase(), tag: "TAG", bot: false });

const room = {
  code: "H7KQ2M4X",
  public: true,
  members: ["ada", "ben"].map((id) => ({ player: player(id) })),
  round: { runners: ["ada", "ben", "cyd"].map((id) => ({ player: player(id) })) },
} as unknown as RoomState;

const told = (...groups: string[][]): Neighbours =>
  ({ type: "Neighbours", code: room.code, groups }) as Neighbours;

describe("neighbours", () => {
  it("are named if they are in the room, or have left its round", () => {
    expect(neighboursOf(room, told(["ada", "ben"]))).toEqual([{ here: ["ADA", "BEN"], gone: [] }]);
    expect(neighboursOf(room, told(["ben", "cyd"]))).toEqual([{ here: ["BEN"], gone: ["CYD"] }]);
  });

  it("are hidden once they have all left, or in another room", () => {
    expect(neighboursOf(room, told(["cyd", "dan"]))).toEqual([]);
    expect(neighboursOf(room, told(["ada", "dan"]))).toEqual([]);
    expect(neighboursOf(room, { ...told(["ada", "ben"]), code: "ZZZZZZZZ" })).toEqual([]);
    expect(neighboursOf(room, null)).toEqual([]);
  });

  it("are hidden among friends, unless strangers were in the round", () => {
    const friends = { ...room, public: false };
    const pair = told(["ada", "ben"]);
    expect(neighboursOf(friends, pair)).toEqual([]);
    const { round } = friends;
    if (round === null) throw new Error("a round is running");
    expect(neighboursOf({ ...friends, round: { ...round, public: true } }, pair)).toHaveLength(1);
  });
});
