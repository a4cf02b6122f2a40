/** Vibration and the wake lock, in browsers that support, refuse or lack them. */

import { describe, expect, it } from "vitest";
import { Senses } from "../src/app/senses.ts";

/** A visible or hidden page that reports changes. */
class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  show(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

/** The used part of a wake lock. */
class Lock {
  released = false;

  async release(): Promise<void> {
    this.released = true;
  }
}

/** Wake locks granted once `answer` is called. */
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

  /** Grant all requests, and let waiting code continue. */
  async answer(): Promise<void> {
    for (const answer of this.answers.splice(0)) answer();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  get held(): number {
    return this.given.filter((lock) => !lock.released).length;
  }
}

const on = () => true;

/** Return the senses of a page, with its browser's locks. */
function awake() {
  const [locks, page] = [new Locks(), new Page()];
  const senses = new Senses(on, { wakeLock: locks }, page);
  return { locks, page, senses };
}

describe("vibration", () => {
  it("distinguishes start, overtaking and end", () => {
    const felt: string[] = [];
    const browser = { vibrate: (pattern: number[]) => felt.push(pattern.join()) > 0 };
    const senses = new Senses(on, browser, new Page());
    for (const kind of ["start", "overtaken", "over"] as const) senses.vibrate(kind);
    expect(new Set(felt).size).toBe(3);
  });

  it("stops when switched off", () => {
    let [wanted, felt] = [true, 0];
    const browser = { vibrate: () => (felt += 1) > 0 };
    const senses = new Senses(() => wanted, browser, new Page());
    senses.vibrate("over");
    wanted = false;
    senses.vibrate("over");
    expect(felt).toBe(1);
  });

  it("waits for the page's first tap, before which browsers block it", () => {
    let felt = 0;
    const userActivation = { hasBeenActive: false };
    const browser = { vibrate: () => (felt += 1) > 0, userActivation };
    const senses = new Senses(on, browser, new Page());
    senses.vibrate("start");
    userActivation.hasBeenActive = true;
    senses.vibrate("over");
    expect(felt).toBe(1);
  });

  it("is omitted where unsupported", () => {
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

  it("may dim while the page is hidden, and stays on when it is visible again", async () => {
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

  it("is released if the race was over before the lock was granted", async () => {
    const { locks, senses } = awake();
    senses.keepAwake()();
    await locks.answer();
    expect(locks.given).toHaveLength(1);
    expect(locks.held).toBe(0);
  });

  it("is requested only once the page is visible", async () => {
    const { locks, page, senses } = awake();
    page.show("hidden");
    senses.keepAwake();
    await locks.answer();
    expect(locks.given).toHaveLength(0);
    page.show("visible");
    await locks.answer();
    expect(locks.held).toBe(1);
  });

  it("is requested again after a refusal", async () => {
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

  it("dims as usual where locks are unsupported", () => {
    const senses = new Senses(on, {}, new Page());
    expect(() => senses.keepAwake()()).not.toThrow();
  });
});
