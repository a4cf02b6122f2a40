/** What the service worker shows of what the server tells it, without browser interfaces. */

import { OTHERS, WORDS } from "../text/generated/told.ts";

/** What the server tells; `server/PROTOCOL.md` explains it. */
export interface Told {
  /** Null if something of it is missing. */
  readonly topic: string | null;
  readonly link: string;
  readonly who: string;
  readonly game: string;
  readonly days: number;
  readonly language: string;
  readonly tag: string;
}

/** A notification: its title, its text, and the label of the button that ends all of them. */
export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly stop: string;
}

const TEXTS = ["topic", "link", "who", "game", "language", "tag"] as const;

/** What a push message tells. Whatever it is, something can be shown, in `language` if it has none. */
export function toldIn(content: unknown, language: string): Told {
  const found = Object(content) as Readonly<Record<string, unknown>>;
  const texts = TEXTS.map((field) => [field, found[field]] as const);
  const told: Partial<Told> = Object.fromEntries(
    texts.filter(([, value]) => typeof value === "string"),
  );
  const { days } = found;
  const complete = Object.keys(told).length === TEXTS.length && typeof days === "number";
  return {
    // What cannot be read is replaced by the next such message.
    ...{ link: "", who: "", game: "", days: 0, language, tag: "other" },
    ...told,
    ...(complete ? { days } : { topic: null }),
  } as Told;
}

/** The words of a notification; of what a newer server tells, only that there is something. */
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

/** The words of a notification that the browser has renewed the subscription. */
export function shownOfRenewal(language: string): Shown {
  const { renewed, renewedMore, stop } = wordsIn(language).told;
  return { title: renewed, body: renewedMore, stop };
}

function wordsIn(language: string): (typeof WORDS)[string] {
  return (Object.hasOwn(WORDS, language) ? WORDS[language] : undefined) ?? OTHERS;
}

/** The URL that a notification opens, which is below `scope` in any case. */
export function opened(link: string, scope: string): string {
  let href = scope;
  try {
    ({ href } = new URL(link.replace(/^\/+/, ""), scope));
  } catch {
    // It is no link: the first screen opens.
  }
  return href.startsWith(scope) ? href : scope;
}
