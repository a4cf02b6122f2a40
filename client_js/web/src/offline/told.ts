/** The notification for each push message, without browser interfaces. */

import { OTHERS, WORDS } from "../text/generated/told.ts";

/** A push message; see `server/PROTOCOL.md`. */
export interface Told {
  /** Null if the message is incomplete. */
  readonly topic: string | null;
  readonly link: string;
  readonly who: string;
  readonly game: string;
  readonly days: number;
  readonly language: string;
  readonly tag: string;
}

/** A notification: its title, its text, and the label of the button that stops notifications. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly stop: string;
}

const TEXTS = ["topic", "link", "who", "game", "language", "tag"] as const;

/** Parse a push message. Any content gives a notification, in `language` if it names none. */
export function toldIn(content: unknown, language: string): Told {
  const found = Object(content) as Readonly<Record<string, unknown>>;
  const texts = TEXTS.map((field) => [field, found[field]] as const);
  const told: Partial<Told> = Object.fromEntries(
    texts.filter(([, value]) => typeof value === "string"),
  );
  const { days } = found;
  const complete = Object.keys(told).length === TEXTS.length && typeof days === "number";
  return {
    // An unreadable message has a common tag, so that the next one replaces it.
    ...{ link: "", who: "", game: "", days: 0, language, tag: "other" },
    ...told,
    ...(complete ? { days } : { topic: null }),
  } as Told;
}

/** Return a notification's words. For an unknown topic of a newer server they are generic. */
export function shownOf({ topic, who, game, days, language }: Told): Shown {
  const { told: words } = wordsIn(language);
  const { stop } = words;
  switch (topic) {
    case "challenged":
      return { title: words.challenged(who), body: words.challengedMore(game), stop };
    case "beaten":
      return { title: words.beaten(who), body: words.beatenMore(game), stop };
    case "streak":
      return { title: words.streak, body: words.streakMore(days), stop };
    default:
      return { title: "Samedeal", body: words.other, stop };
  }
}

/** Return the words for a subscription renewed by the browser. */
export function shownOfRenewal(language: string): Shown {
  const { renewed, renewedMore, stop } = wordsIn(language).told;
  return { title: renewed, body: renewedMore, stop };
}

function wordsIn(language: string): (typeof WORDS)[string] {
  return (Object.hasOwn(WORDS, language) ? WORDS[language] : undefined) ?? OTHERS;
}

/** Return the URL that a notification opens, always below `scope`. */
export function opened(link: string, scope: string): string {
  let href = scope;
  try {
    ({ href } = new URL(link.replace(/^\/+/, ""), scope));
  } catch {
    // An invalid link opens the first screen.
  }
  return href.startsWith(scope) ? href : scope;
}
