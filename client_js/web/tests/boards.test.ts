import { describe, expect, it } from "vitest";
import { mondayOf, percentBehind, percentOfTop, periodName, periodOf } from "../src/app/boards.ts";
import { dayOf } from "../src/kit/days.ts";

describe("periods", () => {
  it("are named as in the HTTP interface", () => {
    expect(periodName("day", 20_778)).toBe("2026-11-21");
    expect(periodName("week", 2_968)).toBe("2026-W47");
    // Weeks that start or end in a different year than their Thursday's.
    expect(periodName("week", periodOf("week", dayOf("2027-01-01") ?? 0))).toBe("2026-W53");
    expect(periodName("week", periodOf("week", dayOf("2025-12-29") ?? 0))).toBe("2026-W01");
    expect(periodName("races", 0)).toBe("all");
  });

  it("are days, and weeks from Monday on", () => {
    const monday = dayOf("2026-11-16") ?? 0;
    expect(periodOf("day", monday)).toBe(20_773);
    expect(mondayOf(2_968)).toBe(20_773);
    expect(periodOf("week", monday)).toBe(2_968);
    expect(periodOf("week", monday - 1)).toBe(2_967);
    expect(periodOf("week", monday + 6)).toBe(2_968);
  });
});

describe("percentiles", () => {
  it("are never overstated", () => {
    expect(percentBehind(12, 340)).toBe(96);
    expect([1, 2, 3].map((rank) => percentBehind(rank, 3))).toEqual([100, 50, 0]);
    expect(percentBehind(1, 1)).toBe(0);
    expect([1, 12, 340].map((rank) => percentOfTop(rank, 340))).toEqual([1, 4, 100]);
  });
});
