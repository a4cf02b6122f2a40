/** The player's choice of card designs. */

export const BACKS = ["lattice", "waves", "stars"] as const;
export type Back = (typeof BACKS)[number];

/** Two colours, or one for each suit. */
export type Deck = "two" | "four";

export interface CardLook {
  readonly deck: Deck;
  readonly back: Back;
}
