import { expect, it } from "vitest";
import { Arrivals } from "../src/arrivals.ts";

const player = (id: string) => ({ id, name: id.toUpperCase(), tag: "AAAA" });

it("names who has come, and neither who was there nor who has left", () => {
  const arrivals = new Arrivals();
  const [ada, bo, cy] = [player("ada"), player("bo"), player("cy")];
  expect(arrivals.update([ada])).toBeUndefined();
  expect(arrivals.update([ada])).toBeUndefined();
  expect(arrivals.update([ada, bo])).toBe(bo);
  expect(arrivals.update([bo])).toBeUndefined();
  expect(arrivals.update([bo, cy])).toBe(cy);
  // Who has left and come back has come again.
  expect(arrivals.update([bo, cy, ada])).toBe(ada);
});
