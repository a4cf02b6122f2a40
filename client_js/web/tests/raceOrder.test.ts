import { expect, it } from "vitest";
import { RaceOrder } from "../src/table/track/raceOrder.ts";

const race = (...start: number[]) => {
  const order = new RaceOrder();
  const to = (...cards: number[]) =>
    order
      .update(cards.map((each, nth) => ({ id: "abcd".charAt(nth), cards: each })))
      .map(({ id, place }) => `${place ?? ""}${id}`)
      .join(" ");
  to(...start);
  return to;
};

it("has no places while all have had the same cards from the start", () => {
  expect(race(4, 4, 4)(4, 4, 4)).toBe("a b c");
});

it("is by cards, and among equals by who had them first", () => {
  const to = race(0, 0, 0);
  expect(to(0, 1, 0)).toBe("1b 2a 2c");
  expect(to(0, 1, 1)).toBe("1b 2c 3a");
  expect(to(0, 1, 2)).toBe("1c 2b 3a");
  expect(to(2, 1, 2)).toBe("1c 2a 3b");
  expect(to(3, 1, 2)).toBe("1a 2c 3b");
});

it("shares places among runners first seen as equals", () => {
  expect(race(3, 3, 5)(3, 3, 5)).toBe("1c 2a 2b");
});

it("is by headway until a card comes home", () => {
  const order = new RaceOrder();
  const to = (...runners: [cards: number, headway: number][]) =>
    order
      .update(runners.map(([cards, headway], nth) => ({ id: "abc".charAt(nth), cards, headway })))
      .map(({ id, place }) => `${place ?? ""}${id}`)
      .join(" ");
  expect(to([0, 0], [0, 0], [0, 0])).toBe("a b c");
  expect(to([0, 0], [0, 3], [0, 1])).toBe("1b 2c 3a");
  expect(to([1, 0], [0, 3], [0, 1])).toBe("1a 2b 3c");
  // Among equals with cards home, the first one to have them is ahead, as in the results.
  expect(to([1, 0], [1, 9], [0, 1])).toBe("1a 2b 3c");
});
