/** The day by the server's clock, on a page that stays open. */

import type { Status } from "@samedeal/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Store } from "../../src/store.ts";
import { onNewDay } from "../src/app/clock.ts";

const DAY = 86_400_000;

describe("a new day", () => {
  const status = new Store<Status>("open");
  const run = vi.fn();
  /** The server's time minus the local one. */
  let offset = 0;
  let stop = (): void => undefined;

  beforeEach(() => {
    vi.useFakeTimers({ now: 20_777 * DAY + 0.75 * DAY });
    offset = 0;
    run.mockReset();
    status.set("open");
    stop = onNewDay({ status, now: () => Date.now() + offset }, run);
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  it("starts within a second of midnight, each time, and nothing runs until then", () => {
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(0.25 * DAY);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(run).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(DAY);
    expect(run).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("is noticed when a session measures the time again, as after a sleep", () => {
    status.set("waiting");
    offset = 0.5 * DAY;
    expect(run).not.toHaveBeenCalled();
    status.set("open");
    expect(run).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(1);
  });

  it("is awaited by the server's time", () => {
    status.set("waiting");
    offset = 0.25 * DAY - 60_000;
    status.set("open");
    vi.advanceTimersByTime(59_000);
    expect(run).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(run).toHaveBeenCalledOnce();
  });

  it("is not reported after stopping", () => {
    stop();
    expect(vi.getTimerCount()).toBe(0);
    offset = DAY;
    status.set("waiting");
    expect(run).not.toHaveBeenCalled();
  });
});
