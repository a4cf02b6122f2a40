import { expect, it } from "vitest";
import { Arrivals } from "../src/race/arrivals.ts";

const player = (id: string) => ({ id, name: id.toUpperCase(), tag: "AAAA", bot: false });

it("returns a new member, but none who was present before or has left", () => {
  const arrivals = new Arrivals();
  const [ada, bo, cy] = [player("ada"), player("bo"), player("cy")];
  expect(arrivals.update([ada])).toBeUndefined();
  expect(arrivals.update([ada])).toBeUndefined();
  expect(arrivals.update([ada, bo])).toBe(bo);
  expect(arrivals.update([bo])).toBeUndefined();
  expect(arrivals.update([bo, cy])).toBe(cy);
  // A member who left and returned is new.
  expect(arrivals.update([bo, cy, ada])).toBe(ada);
});
