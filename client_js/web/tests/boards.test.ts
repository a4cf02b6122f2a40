import { describe, expect, it } from "vitest";
import { mondayOf, percentBehind, percentOfTop, periodAt, periodName } from "../src/app/boards.ts";

describe("periods", () => {
  it("are named as in the HTTP interface", () => {
    expect(periodName("day", 20_778)).toBe("2026-11-21");
    expect(periodName("week", 2_968)).toBe("2026-W47");
    // Weeks that begin or end in another year than their Thursday's.
    expect(periodName("week", periodAt("week", Date.UTC(2027, 0, 1)))).toBe("2026-W53");
    expect(periodName("week", periodAt("week", Date.UTC(2025, 11, 29)))).toBe("2026-W01");
    expect(periodName("races", 0)).toBe("all");
  });

  it("are days and weeks from Monday on, by UTC", () => {
    const monday = Date.UTC(2026, 10, 16);
    expect(periodAt("day", monday)).toBe(20_773);
    expect(mondayOf(2_968)).toBe(20_773);
    expect(periodAt("week", monday)).toBe(2_968);
    expect(periodAt("week", monday - 1)).toBe(2_967);
    expect(periodAt("week", monday + 7 * 86_400_000 - 1)).toBe(2_968);
  });
});

describe("percentiles", () => {
  it("never say more than is so", () => {
    expect(percentBehind(12, 340)).toBe(96);
    expect([1, 2, 3].map((rank) => percentBehind(rank, 3))).toEqual([100, 50, 0]);
    expect(percentBehind(1, 1)).toBe(0);
    expect([1, 12, 340].map((rank) => percentOfTop(rank, 340))).toEqual([1, 4, 100]);
  });
});
