import { expect, test } from "vitest";
import { Retries } from "../src/retries.ts";

test("however often something could not be answered, it is asked again within four seconds", () => {
  const waits: number[] = [];
  const after = (wait: number): (() => void) => {
    waits.push(wait);
    return () => undefined;
  };
  const retry = new Retries({ now: () => 0, random: () => 0.999, after }).retry();
  for (let tries = 0; tries < 12; tries++) retry.later(() => undefined, 0);
  const longest = Math.max(...waits);
  expect(longest).toBeGreaterThan(3_900);
  expect(longest).toBeLessThanOrEqual(4_000);
});
