/**
 * The types of `rulesets.json`, the output of `python -m engine rules`. `engine/RULES.md` documents
 * the keys. The engine has validated the values, so they are not checked again.
 */

export type Order = "up" | "down" | "either" | "any";
export type Match = "suit" | "colour" | "alternate" | "any";
/** A destination of available cards. */
export type Place = "tableau" | "foundation" | "cell";

/** A group of foundations with the same rules. */
export interface Foundation {
  readonly piles: number;
  /** A rank, `any`, or `same`: the rank of the card dealt to the first foundation. */
  readonly first: string;
  readonly takes: "card" | "run" | "pair";
  readonly setup: "empty" | "dealt" | "laid-out";
  readonly suits: string;
  readonly order: Order;
  readonly match: Match;
  readonly wrap: boolean;
  /** A rank that takes no further card. */
  readonly last: string | null;
  readonly automatic: boolean;
  readonly plays: readonly "tableau"[];
}

/** The tableau: its piles, their deal, and how they build. */
export interface Tableau {
  readonly deal: readonly number[];
  readonly order: Order;
  readonly match: Match;
  readonly plays: readonly Place[];
  readonly face_up: number | "all";
  readonly wrap: boolean;
  readonly moves: "card" | "run" | "run-by-spaces" | "run-by-places" | "whole-run" | "any";
  readonly run_match: Match | null;
  /** A rank, `any` or `none`. */
  readonly empty: string;
  readonly fill: readonly ("reserve" | "waste" | "stock")[];
  /** The number of overlapping pyramids that the piles form; null for columns. */
  readonly peaks: number | null;
  /** Whether emptying the tableau brings all other cards home. */
  readonly cleared: "goes-on" | "wins";
}

/** The stock, and the destinations of its top card. */
export interface Stock {
  readonly plays: readonly ("waste" | "row" | "tableau" | "foundation")[];
  readonly turns: number;
  readonly row_on_empty: boolean;
  readonly top: "up" | "down";
  readonly to_foundation: "fitting" | "first" | "any";
}

/** The waste, and how often it may be recycled into the stock. */
export interface Waste {
  readonly plays: readonly Place[];
  readonly redeals: number | "any";
}

/** Places for one card of any rank and suit each. */
export interface Cells {
  readonly piles: number;
  readonly plays: readonly ("tableau" | "foundation")[];
}

/** Piles whose top card is available, and which take no cards. */
export interface Reserve {
  readonly deal: readonly number[];
  readonly plays: readonly Place[];
  readonly face_up: number | "all";
}

/** One game's rules in one variant. */
export interface Rules {
  readonly name: string;
  readonly packs: number;
  readonly foundations: readonly Foundation[];
  readonly suits: string;
  readonly tableau: Tableau | null;
  readonly stock: Stock;
  readonly waste: Waste | null;
  readonly reserve: Reserve | null;
  readonly cells: Cells | null;
}

/** A variant of a game: its complete rules, with the overrides merged in. */
export interface Variant {
  readonly id: string;
  readonly name: string;
  /** Identifies these rules among all releases of the game's rules. */
  readonly digest: string;
  readonly rules: Rules;
}

/** Rules that no new deal uses. */
export interface Unlisted {
  readonly digest: string;
  readonly game: string;
  readonly variant: string;
  readonly rules: Rules;
}

/** The second measure of a race: face-down cards turned up, or cards in order. */
export type Headway = "none" | "turned-up" | "in-order";

/** The presentation of a game, apart from its rules. */
export interface Listing {
  /** The id of the variant of its dailies; null if it usually has none. */
  readonly daily: string | null;
  /** The crown that its dailies count for. */
  readonly crown: "classics" | "rarities";
  /** The sort key among the games. */
  readonly order: number;
  /** The usual duration of a deal in minutes. */
  readonly minutes: number;
  /** The usual time limit of its races in minutes. */
  readonly limit: number;
  /** The id of the variant that is offered first for races. */
  readonly race: string;
  /** What races count besides cards home; see `headway.ts`. */
  readonly headway: Headway;
}

/** A game; its standard variant is the first. */
export interface Game {
  readonly id: string;
  readonly name: string;
  readonly listing: Listing;
  readonly variants: readonly Variant[];
}

/** The id of a game's rules without any variant's overrides. */
export const STANDARD = "standard";
