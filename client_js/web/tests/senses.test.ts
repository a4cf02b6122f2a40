/** Vibration and the wake lock, in browsers that have them, refuse them, or never heard of them. */

import { describe, expect, it } from "vitest";
import { Senses } from "../src/app/senses.ts";

/** A page that is seen or hidden, and says when that changes. */
class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  show(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** A lock of the screen, as far as it is used. */
class Lock {
  released = false;

  async release(): Promise<void> {
    this.released = true;
  }
}

/** Wake locks that are given, as soon as `answer` is called. */
class Locks {
  readonly given: Lock[] = [];
  answers: (() => void)[] = [];
  refuses = false;

  request = (): Promise<WakeLockSentinel> =>
    new Promise((resolve, reject) => {
      this.answers.push(() => {
        if (this.refuses) return reject(new DOMException("No.", "NotAllowedError"));
        const lock = new Lock();
        this.given.push(lock);
        resolve(lock as unknown as WakeLockSentinel);
      });
    });

  /** Answer all requests, and let what waits for them go on. */
  async answer(): Promise<void> {
    for (const answer of this.answers.splice(0)) answer();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  get held(): number {
    return this.given.filter((lock) => !lock.released).length;
  }
}

const on = () => true;

/** Senses on a page, with the locks that its browser gives. */
function awake() {
  const [locks, page] = [new Locks(), new Page()];
  const senses = new Senses(on, { wakeLock: locks }, page);
  return { locks, page, senses };
}

describe("vibration", () => {
  it("tells start, overtaking and end apart", () => {
    const felt: string[] = [];
    const browser = { vibrate: (pattern: number[]) => felt.push(pattern.join()) > 0 };
    const senses = new Senses(on, browser, new Page());
    for (const kind of ["start", "overtaken", "over"] as const) senses.vibrate(kind);
    expect(new Set(felt).size).toBe(3);
  });

  it("stops when it is switched off", () => {
    let [wanted, felt] = [true, 0];
    const browser = { vibrate: () => (felt += 1) > 0 };
    const senses = new Senses(() => wanted, browser, new Page());
    senses.vibrate("over");
    wanted = false;
    senses.vibrate("over");
    expect(felt).toBe(1);
  });

  it("is left out where there is none", () => {
    const senses = new Senses(on, {}, new Page());
    expect(() => senses.vibrate("start")).not.toThrow();
  });
});

describe("the screen", () => {
  it("stays on until the race is over", async () => {
    const { locks, senses } = awake();
    const end = senses.keepAwake();
    await locks.answer();
    expect(locks.held).toBe(1);
    end();
    expect(locks.held).toBe(0);
  });

  it("may go dark while the page is hidden, and stays on when it is seen again", async () => {
    const { locks, page, senses } = awake();
    const end = senses.keepAwake();
    await locks.answer();
    page.show("hidden");
    expect(locks.held).toBe(0);
    page.show("visible");
    page.show("visible");
    await locks.answer();
    expect(locks.held).toBe(1);
    end();
    page.show("visible");
    await locks.answer();
    expect(locks.held).toBe(0);
  });

  it("is let go if the race was over before the lock came", async () => {
    const { locks, senses } = awake();
    senses.keepAwake()();
    await locks.answer();
    expect(locks.given).toHaveLength(1);
    expect(locks.held).toBe(0);
  });

  it("is asked for only once the page is seen", async () => {
    const { locks, page, senses } = awake();
    page.show("hidden");
    senses.keepAwake();
    await locks.answer();
    expect(locks.given).toHaveLength(0);
    page.show("visible");
    await locks.answer();
    expect(locks.held).toBe(1);
  });

  it("is asked for again if it was refused before", async () => {
    const { locks, page, senses } = awake();
    locks.refuses = true;
    const end = senses.keepAwake();
    await locks.answer();
    expect(locks.held).toBe(0);
    locks.refuses = false;
    page.show("visible");
    await locks.answer();
    expect(locks.held).toBe(1);
    end();
  });

  it("goes dark as always where there are no locks", () => {
    const senses = new Senses(on, {}, new Page());
    expect(() => senses.keepAwake()()).not.toThrow();
  });
});
