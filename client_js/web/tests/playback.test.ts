import { describe, expect, it } from "vitest";
import { Playback } from "../src/replay/playback.svelte.ts";

const times = [1_000, 1_500, 1_500, 4_000];

describe("a replay's position", () => {
  it("advances by its speed while playing, and stops at the end", () => {
    const playback = new Playback(times, 5_000);
    playback.advance(100);
    expect(playback.time).toBe(0);
    playback.toggle();
    playback.advance(100);
    expect(playback.time).toBe(100);
    playback.speed = 16;
    playback.advance(100);
    expect(playback.time).toBe(1_700);
    playback.advance(1_000);
    expect([playback.time, playback.playing, playback.ended]).toEqual([5_000, false, true]);
  });

  it("restarts when played at the end", () => {
    const playback = new Playback(times, 5_000);
    playback.seek(9_000);
    expect(playback.time).toBe(5_000);
    playback.toggle();
    expect([playback.time, playback.playing]).toEqual([0, true]);
  });

  it("steps between moves, in both directions, and pauses", () => {
    const playback = new Playback(times, 5_000);
    playback.toggle();
    const there = times.concat(0).map(() => {
      playback.step(1);
      return playback.time;
    });
    expect(there).toEqual([1_000, 1_500, 4_000, 5_000, 5_000]);
    expect(playback.playing).toBe(false);
    const back = there.map(() => {
      playback.step(-1);
      return playback.time;
    });
    expect(back).toEqual([4_000, 1_500, 1_000, 0, 0]);
    playback.seek(1_200);
    playback.step(-1);
    expect(playback.time).toBe(1_000);
  });

  it("stays within the run", () => {
    const playback = new Playback([], 0);
    playback.seek(-5);
    playback.step(1);
    expect(playback.time).toBe(0);
  });
});
