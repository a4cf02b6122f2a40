/**
 * How games are played, in the language that the player reads. It is apart from the other words,
 * since only the page of rules shows it: so a first visit to any other page loads less. The other
 * modules here that are named like this one do the same.
 */

import { de } from "./howTo.de.ts";
import { en } from "./howTo.en.ts";
import { language } from "./index.ts";

export type HowTo = typeof en;

/** The same in every language. */
export const howTos = { en, de };

/** How games are played, in the language of `text`. */
export function howTo(): HowTo {
  return howTos[language];
}
