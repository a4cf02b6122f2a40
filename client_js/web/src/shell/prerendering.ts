/** A page's document, as far as it reports prerendering. */
export interface MaybePrerendering extends EventTarget {
  readonly prerendering?: boolean;
}

/** Act once the page is opened: a browser may prerender it and never show it. */
export function onceOpened(page: MaybePrerendering, act: () => void): void {
  if (page.prerendering === true) page.addEventListener("prerenderingchange", act, { once: true });
  else act();
}
