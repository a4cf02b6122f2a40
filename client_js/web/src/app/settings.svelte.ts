/** The player's settings, kept in this browser's storage. */

import { BACKS, type Back, type CardLook, type Deck } from "../cards/index.ts";
import { LANGUAGES, type Language, languageOf } from "../text/index.ts";
import { storage } from "../kit/storage.ts";

export const TABLES = ["felt", "midnight", "clay", "daylight"] as const;
export type TableColour = (typeof TABLES)[number];

/** The hand that holds the phone, which determines the side of stock and waste. */
export type Hand = "left" | "right";

interface Choices {
  readonly deck: Deck;
  readonly back: Back;
  readonly table: TableColour;
  /** The page's colours; `system` means the browser's preference. */
  readonly scheme: "system" | "light" | "dark";
  readonly hand: Hand;
  readonly sound: boolean;
  /** Whether the player has chosen or declined sound; until then it is offered. */
  readonly soundAsked: boolean;
  /** Whether races may vibrate, on supporting devices. */
  readonly vibration: boolean;
  /** Whether animations follow the system's setting, or are off. */
  readonly motion: "system" | "none";
  /** The page's language; `system` means the browser's. */
  readonly language: "system" | Language;
  /** Whether the emotes of other players are shown. */
  readonly emotes: boolean;
  /** Whether moves take two taps: one on the cards, one on the target. */
  readonly twoStep: boolean;
  /** Whether cards that cannot be needed any more go home by themselves. */
  readonly autoHome: boolean;
  readonly practiceHelp: Help;
}

export type Help = "none" | "undo" | "hints";

const KEY = "samedeal.settings";

/** The allowed values of each setting; the first one is the default. */
const VALUES: { readonly [Name in keyof Choices]: readonly Choices[Name][] } = {
  deck: ["two", "four"],
  back: BACKS,
  table: TABLES,
  scheme: ["system", "light", "dark"],
  hand: ["right", "left"],
  sound: [false, true],
  soundAsked: [false, true],
  vibration: [true, false],
  motion: ["system", "none"],
  language: ["system", ...LANGUAGES],
  emotes: [true, false],
  twoStep: [false, true],
  autoHome: [false, true],
  practiceHelp: ["hints", "undo", "none"],
};

export class Settings {
  #choices = $state.raw(kept(storage.getItem(KEY)));
  #still = $state(false);

  constructor() {
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    this.#still = still.matches;
    still.addEventListener("change", ({ matches }) => (this.#still = matches));
    this.#show();
  }

  get deck(): Deck {
    return this.#choices.deck;
  }
  get back(): Back {
    return this.#choices.back;
  }
  get table(): TableColour {
    return this.#choices.table;
  }
  get scheme(): Choices["scheme"] {
    return this.#choices.scheme;
  }
  get hand(): Hand {
    return this.#choices.hand;
  }
  get twoStep(): boolean {
    return this.#choices.twoStep;
  }
  get autoHome(): boolean {
    return this.#choices.autoHome;
  }
  get emotes(): boolean {
    return this.#choices.emotes;
  }
  get practiceHelp(): Help {
    return this.#choices.practiceHelp;
  }
  get sound(): boolean {
    return this.#choices.sound;
  }
  get soundAsked(): boolean {
    return this.#choices.soundAsked;
  }
  get vibration(): boolean {
    return this.#choices.vibration;
  }
  get language(): Choices["language"] {
    return this.#choices.language;
  }
  /** The page's effective language. */
  get spoken(): Language {
    const { language } = this.#choices;
    return language === "system" ? languageOf(navigator.languages) : language;
  }
  get stillness(): Choices["motion"] {
    return this.#choices.motion;
  }

  /** Whether cards are animated. */
  get motion(): boolean {
    return this.#choices.motion === "system" && !this.#still;
  }

  get cards(): CardLook {
    return { deck: this.deck, back: this.back };
  }

  choose(chosen: Partial<Choices>): void {
    const asked = "sound" in chosen && { soundAsked: true };
    this.#choices = { ...this.#choices, ...asked, ...chosen };
    storage.setItem(KEY, JSON.stringify(this.#choices));
    this.#show();
  }

  #show(): void {
    const { dataset } = document.documentElement;
    dataset["table"] = this.table;
    dataset["deck"] = this.deck;
    dataset["scheme"] = this.scheme;
  }
}

/** Parse settings from stored JSON, with defaults for missing or unknown ones. */
export function kept(text: string | null): Choices {
  let found: unknown;
  try {
    found = JSON.parse(text ?? "{}");
  } catch {
    found = {};
  }
  const fields = typeof found === "object" && found !== null ? found : {};
  const chosen = Object.entries(VALUES).map(([name, values]) => {
    const value: unknown = Reflect.get(fields, name);
    return [name, (values as readonly unknown[]).includes(value) ? value : values[0]];
  });
  return Object.fromEntries(chosen) as Choices;
}
