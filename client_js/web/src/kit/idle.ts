/** Scheduling of work without delaying painting or input. */

/** The delay in milliseconds without `requestIdleCallback`, as in Safari. */
const FALLBACK_DELAY = 1_000;

/** Call `run` once the page has loaded and the browser is idle. */
export function whenIdle(run: () => void): void {
  if (document.readyState !== "complete") {
    addEventListener("load", () => whenIdle(run), { once: true });
  } else if ("requestIdleCallback" in window) {
    requestIdleCallback(run);
  } else {
    setTimeout(run, FALLBACK_DELAY);
  }
}

/** Yield to other tasks: one long task would block painting and input. */
export function otherTasks(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}

/** Call `run` once after the next paint; return a function that cancels it. */
export function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(run)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
