import { expect, it } from "vitest";
import { COLOURS, coloursOf, roomColours } from "../src/table/colours.ts";

const IDS = ["ada", "grace", "barbara", "joan", "kay", "jean", "mary", "radia"];

it("gives each of a full room's players a different colour", () => {
  expect(new Set(coloursOf(IDS).values()).size).toBe(COLOURS);
  expect(coloursOf([...IDS, "more"]).size).toBe(COLOURS + 1);
});

it("gives the first player the same colour as the server", () => {
  expect(IDS.slice(0, 3).map((id) => coloursOf([id]).get(id))).toEqual([
    "var(--player-6)",
    "var(--player-8)",
    "var(--player-3)",
  ]);
});

it("takes a room's colours from the room, including those of players who left during the round", () => {
  const [ada, grace, barbara] = [3, 0, 7].map((colour, nth) => ({
    player: { id: IDS[nth] },
    colour,
  }));
  const room = { members: [barbara, grace], round: { runners: [ada, grace] } };
  const expected = new Map([
    ["ada", "var(--player-4)"],
    ["grace", "var(--player-1)"],
    ["barbara", "var(--player-8)"],
  ]);
  expect(roomColours(room as unknown as Parameters<typeof roomColours>[0])).toEqual(expected);
  expect(
    roomColours({ ...room, round: null } as unknown as Parameters<typeof roomColours>[0]).has(
      "ada",
    ),
  ).toBe(false);
});
