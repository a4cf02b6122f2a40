import { expect, it } from "vitest";
import { Overtaking } from "../src/table/track/overtaking.ts";

it("reports when the order of two players is reversed, but not ties", () => {
  const race = new Overtaking();
  const grace = (own: number, cards: number) => race.update(own, [{ id: "grace", cards }]);
  expect(grace(0, 0)).toBeNull();
  expect(grace(1, 0)).toBeNull();
  expect(grace(1, 1)).toBeNull();
  expect(grace(2, 1)).toBeNull();
  expect(grace(2, 3)).toEqual({ id: "grace", ahead: false });
  expect(grace(3, 3)).toBeNull();
  expect(grace(4, 3)).toEqual({ id: "grace", ahead: true });
});

it("reports one of several players at a time, and remembers all of them", () => {
  const race = new Overtaking();
  const all = (own: number, ...cards: number[]) =>
    race.update(
      own,
      cards.map((each, nth) => ({ id: `${nth}`, cards: each })),
    );
  all(1, 2, 3);
  expect(all(4, 2, 3)).toEqual({ id: "1", ahead: true });
  expect(all(4, 5, 3)).toEqual({ id: "0", ahead: false });
});
