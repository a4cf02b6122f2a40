/** A page's document, as far as it says whether somebody sees the page yet. */
export interface MaybePrerendering extends EventTarget {
  readonly prerendering?: boolean;
}

/**
 * Do something as soon as somebody opens the page: at once, unless the browser has loaded it in
 * advance, and may never show it.
 */
export function onceOpened(page: MaybePrerendering, act: () => void): void {
  if (page.prerendering === true) page.addEventListener("prerenderingchange", act, { once: true });
  else act();
}
