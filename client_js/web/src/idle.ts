/** A moment at which work takes nothing away from what the player came for. */

/** Some milliseconds after which a page has most likely been shown: Safari tells no more. */
const SHOWN_AFTER = 1_000;

/** Run something once when the page has loaded and there is nothing else to do. */
export function whenIdle(run: () => void): void {
  if (document.readyState !== "complete") {
    addEventListener("load", () => whenIdle(run), { once: true });
  } else if ("requestIdleCallback" in window) {
    requestIdleCallback(run);
  } else {
    setTimeout(run, SHOWN_AFTER);
  }
}

/** Let other tasks run first: one long task would keep a page from being used, or painted. */
export function otherTasks(): Promise<void> {
  return new Promise((done) => setTimeout(done));
}

/** Run something once what is on its way to the screen is there; returns what calls that off. */
export function afterPaint(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => (timer = setTimeout(run)));
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
