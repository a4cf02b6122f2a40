import type { RoomState } from "@samedeal/client";
import { expect, it } from "vitest";
import { COLOURS, coloursOf, roomColours } from "../src/table/colours.ts";

type Shown = Pick<RoomState, "members" | "round">;

const IDS = ["ada", "grace", "barbara", "joan", "kay", "jean", "mary", "radia"];

/** A room of which only the ids of the members and runners count. */
function room(members: readonly string[], runners: readonly string[]): Shown {
  const people = (ids: readonly string[]) => ids.map((id) => ({ player: { id } }));
  return { members: people(members), round: { runners: people(runners) } } as unknown as Shown;
}

it("gives as many players as a room seats a colour each", () => {
  expect(new Set(coloursOf(IDS).values()).size).toBe(COLOURS);
  expect(coloursOf([...IDS, "more"]).size).toBe(COLOURS + 1);
});

it("gives the same colours whoever leads, leaves or comes during a round", () => {
  const before = roomColours(room(IDS, IDS));
  for (const [members, runners] of [
    [IDS, IDS.toReversed()],
    [IDS.slice(3), IDS],
    [["zoe", ...IDS.slice(1)], IDS],
  ] as const) {
    const after = roomColours(room(members, runners));
    for (const id of IDS) expect(after.get(id)).toBe(before.get(id));
  }
});

it("keeps the colours of those who wait when somebody takes a further seat", () => {
  const waiting = roomColours(room(IDS.slice(0, 7), []));
  const full = roomColours(room(IDS, []));
  for (const [id, colour] of waiting) expect(full.get(id)).toBe(colour);
});
