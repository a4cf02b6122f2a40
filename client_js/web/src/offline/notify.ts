/** Shows what a push service delivers, without browser interfaces. */

import { type Shown, type Told, opened, shownOf, toldIn } from "./told.ts";

/** The button of a notification that ends all of them on this device. */
export const STOP = "stop";

/** Where notifications are shown. */
export interface Place {
  /** The URL that the whole site lies below, with a slash at the end. */
  readonly scope: string;
  /** The language of the browser, for what says nothing of its own. */
  readonly language: string;
  /** Show one; rejects if the browser cannot. */
  show(title: string, options: NotificationOptions): Promise<void>;
}

/**
 * Show what has come, whatever it is: each push message needs a notification, or else the browser
 * shows one of its own, and ends the subscription after a few. What is wrong is in the console.
 *
 * Rejects if the browser shows nothing at all.
 */
export async function notify(data: { json(): unknown } | null, place: Place): Promise<void> {
  let content: unknown;
  try {
    content = data?.json();
  } catch (error) {
    console.error("A push message is no JSON.", error);
  }
  const told = toldIn(content, place.language);
  if (told.topic === null) console.error("A push message is incomplete.");
  await show(shownOf(told), told, place);
}

/** Show a notification, if need be in the plainest way; rejects if the browser shows none. */
export async function show(
  { title, body, stop }: Shown,
  { link, language, tag }: Pick<Told, "link" | "language" | "tag">,
  place: Place,
): Promise<void> {
  // What browsers have and TypeScript does not know of.
  const options: NotificationOptions & { actions: { action: string; title: string }[] } = {
    body,
    tag,
    lang: language,
    icon: `${place.scope}icon-192.png`,
    data: opened(link, place.scope),
    actions: [{ action: STOP, title: stop }],
  };
  try {
    await place.show(title, options);
  } catch (error) {
    console.error("A notification is shown in a plainer way.", error);
    await place.show(title, { body });
  }
}
