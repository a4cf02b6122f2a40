/** Browser events that may follow a lost connection, which should then be verified immediately. */

/** The part of `EventTarget` used here. */
interface Target {
  addEventListener(type: string, run: (event: object) => void): void;
  removeEventListener(type: string, run: (event: object) => void): void;
}

/** Browser globals that dispatch these events; Node has none of them. */
interface Browser {
  readonly window?: Target;
  readonly document?: Target & { readonly visibilityState: string };
  readonly navigator?: { readonly connection?: Target };
}

/**
 * Call `run` when the page becomes visible, is restored from the back/forward cache, or the network
 * returns or changes.
 *
 * @returns a function that removes the listeners.
 */
export function onWake(run: () => void): () => void {
  const { window, document, navigator } = globalThis as Browser;
  const always = (): void => run();
  const ifVisible = (): void => {
    if (document?.visibilityState === "visible") run();
  };
  // `pageshow` also fires after a normal load, when the first connect is already in progress.
  const ifRestored = (event: object): void => {
    if ("persisted" in event && event.persisted === true) run();
  };
  const listeners = [
    [window, "online", always],
    [window, "pageshow", ifRestored],
    [document, "visibilitychange", ifVisible],
    [navigator?.connection, "change", always],
  ] as const;
  for (const [source, type, listener] of listeners) source?.addEventListener(type, listener);
  return () => {
    for (const [source, type, listener] of listeners) source?.removeEventListener(type, listener);
  };
}
