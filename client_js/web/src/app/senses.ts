/** Feedback besides pictures and sounds: vibration, and a screen that stays on. */

/** The events signalled by vibration. */
export type Felt = "start" | "overtaken" | "over";

/** Milliseconds of vibration and pauses, in turn. */
const PATTERNS: Readonly<Record<Felt, readonly number[]>> = {
  start: [80],
  overtaken: [40, 60, 40],
  over: [60, 60, 60, 60, 180],
};

/** The relevant part of `navigator`; browsers may lack it. */
export interface SensingBrowser {
  vibrate?(pattern: number[]): boolean;
  readonly userActivation?: Pick<UserActivation, "hasBeenActive">;
  readonly wakeLock?: Pick<WakeLock, "request">;
}

/** Reports whether the page is visible, like `document`. */
export type SeenPage = Pick<
  Document,
  "visibilityState" | "addEventListener" | "removeEventListener"
>;

export class Senses {
  readonly #wanted: () => boolean;
  readonly #browser: SensingBrowser;
  readonly #page: SeenPage;

  /** `wanted` returns whether vibration is on. */
  constructor(
    wanted: () => boolean,
    browser: SensingBrowser = navigator,
    page: SeenPage = document,
  ) {
    this.#wanted = wanted;
    this.#browser = browser;
    this.#page = page;
  }

  /** Vibrate; does nothing on devices that cannot. */
  vibrate(kind: Felt): void {
    // Before the first tap, browsers block it with a warning.
    if (!this.#wanted() || this.#browser.userActivation?.hasBeenActive === false) return;
    this.#browser.vibrate?.([...PATTERNS[kind]]);
  }

  /**
   * Keep the screen on while the page is visible, until the returned function is called. Without
   * browser support or permission, the screen dims as usual.
   */
  keepAwake(): () => void {
    const awake = new Awake(this.#browser, this.#page);
    const look = (): void => awake.look();
    this.#page.addEventListener("visibilitychange", look);
    awake.look();
    return () => {
      this.#page.removeEventListener("visibilitychange", look);
      awake.end();
    };
  }
}

/** A wake lock held while the page is visible. */
class Awake {
  readonly #browser: SensingBrowser;
  readonly #page: SeenPage;
  #wanted = true;
  #lock: WakeLockSentinel | null = null;
  #asking = false;

  constructor(browser: SensingBrowser, page: SeenPage) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Request the lock if the page is visible, otherwise release it. */
  look(): void {
    if (!this.#holds) this.#release();
    else if (!this.#asking && this.#lock === null) void this.#ask();
  }

  end(): void {
    this.#wanted = false;
    this.#release();
  }

  get #holds(): boolean {
    return this.#wanted && this.#page.visibilityState === "visible";
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    try {
      this.#lock = (await this.#browser.wakeLock?.request("screen")) ?? null;
    } catch {
      // Refused, for example because of a low battery.
    }
    this.#asking = false;
    if (!this.#holds) this.#release();
  }

  #release(): void {
    this.#lock?.release().catch(() => undefined);
    this.#lock = null;
  }
}
