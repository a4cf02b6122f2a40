/**
 * The settings: words that are apart from the others, since only the page of settings shows them
 * (see `howTo.ts`).
 */

import { de } from "./settings.de.ts";
import { en } from "./settings.en.ts";
import { language } from "./index.ts";

export type SettingsWords = typeof en;

/** The same in every language. */
export const settingsCatalogues = { en, de };

/** The settings, in the language of `text`. */
export function settingsWords(): SettingsWords {
  return settingsCatalogues[language];
}
