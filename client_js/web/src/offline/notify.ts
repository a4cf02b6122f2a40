/** Shows push messages, without browser interfaces. */

import { type Shown, type Told, opened, shownOf, toldIn } from "./told.ts";

/** The action of the button that stops notifications on this device. */
export const STOP = "stop";

export interface Place {
  /** The URL of the site, with a trailing slash. */
  readonly scope: string;
  /** The browser's language, for messages without one. */
  readonly language: string;
  /** Shows a notification; rejects if the browser cannot. */
  show(title: string, options: NotificationOptions): Promise<void>;
}

/**
 * Show a push message, whatever its content. Each one needs a notification; otherwise the browser
 * shows its own, and ends the subscription after a few. Errors go to the console.
 *
 * Rejects if the browser shows nothing at all.
 */
export async function notify(data: { json(): unknown } | null, place: Place): Promise<void> {
  let content: unknown;
  try {
    content = data?.json();
  } catch (error) {
    console.error("A push message is not valid JSON.", error);
  }
  const told = toldIn(content, place.language);
  if (told.topic === null) console.error("A push message is incomplete.");
  await show(shownOf(told), told, place);
}

/** Show a notification, with reduced options if necessary; rejects if the browser shows none. */
export async function show(
  { title, body, stop }: Shown,
  { link, language, tag }: Pick<Told, "link" | "language" | "tag">,
  place: Place,
): Promise<void> {
  // Browsers support `actions`, but TypeScript's types lack them.
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
    console.error("A notification is shown with reduced options.", error);
    await place.show(title, { body });
  }
}
