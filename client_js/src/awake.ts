/** The moments at which a lost connection is likely, and worth looking for at once. */

/** What tells of events, as windows, documents and the network of a browser do. */
interface Source {
  addEventListener(type: string, run: (event: object) => void): void;
  removeEventListener(type: string, run: (event: object) => void): void;
}

/** The part of a browser that knows of such moments; Node has none of it. */
interface Browser {
  readonly window?: Source;
  readonly document?: Source & { readonly visibilityState: string };
  readonly navigator?: { readonly connection?: Source };
}

/**
 * Call `run` when the page comes back to life: it is seen again, was taken out of the browser's
 * history, or the machine has a network again, or another one.
 *
 * @returns what ends that.
 */
export function onAwake(run: () => void): () => void {
  const { window, document, navigator } = globalThis as Browser;
  const always = (): void => run();
  const seen = (): void => {
    if (document?.visibilityState === "visible") run();
  };
  // A page that is loaded is shown too, but has only just begun to dial.
  const restored = (event: object): void => {
    if ("persisted" in event && event.persisted === true) run();
  };
  const heard = [
    [window, "online", always],
    [window, "pageshow", restored],
    [document, "visibilitychange", seen],
    [navigator?.connection, "change", always],
  ] as const;
  for (const [source, type, listener] of heard) source?.addEventListener(type, listener);
  return () => {
    for (const [source, type, listener] of heard) source?.removeEventListener(type, listener);
  };
}
