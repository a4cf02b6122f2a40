/** What the service worker shows of what the server tells it, without browser interfaces. */

import { OTHERS, WORDS } from "../text/generated/told.ts";

/** What the server tells; `server/PROTOCOL.md` explains it. */
export interface Told {
  readonly topic: string;
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

/** The words of a notification; of what a newer server tells, only that there is something. */
export function shownOf({ topic, who, game, days, language }: Told): Shown {
  const { told: words } = WORDS[language] ?? OTHERS;
  const { stop } = words;
  switch (topic) {
    case "challenged":
      return { title: words.challenged(who), body: words.challengedMore(game), stop };
    case "beaten":
      return { title: words.beaten(who), body: words.beatenMore(game), stop };
    case "streak":
      return { title: words.streak, body: words.streakMore(days), stop };
    default:
      return { title: "Samedeal", body: who, stop };
  }
}

/** The URL that a notification opens, which is below `scope` in any case. */
export function opened(link: string, scope: string): string {
  const { href } = new URL(link.replace(/^\/+/, ""), scope);
  return href.startsWith(scope) ? href : scope;
}
