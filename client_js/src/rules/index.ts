/** The rules of the games: legal moves and their effects, on boards and on views. */

export {
  type Board,
  type Layout,
  type View,
  cardsFaceDown,
  cardsHome,
  cardsNeverSeen,
  pileAt,
  viewOf,
} from "./board.ts";
export {
  type Card,
  type Pile,
  DOWN,
  RANKS,
  SUITS,
  UNSEEN,
  cardName,
  isDown,
  isRed,
  parseCard,
  rankOf,
  suitOf,
} from "./cards.ts";
export { findRuleset, findStoredRuleset, games } from "./catalog.ts";
export { commitment, dealSeed, layOut, parseSeed } from "./deal.ts";
export { EngineError } from "./errors.ts";
export { headway, mostHeadway } from "./headway.ts";
export { hint } from "./hints.ts";
export { isLegal, isStuck, isWon, legalMoves, runLength, topOf } from "./moves.ts";
export { knownSeed, numberOf, numberedDeck } from "./known.ts";
export { moveText, parseMove, parseSeen, seenText } from "./notation.ts";
export { pastedSeed } from "./pasted.ts";
export { type About, PastedError, type Problem } from "./pastedLines.ts";
export { play, predict } from "./play.ts";
export { type Move, EMPTY, ROW, RUN_LENGTH, Ruleset } from "./ruleset.ts";
export { type Game, type Headway, type Variant, STANDARD } from "./schema.ts";
export { type OpenDeal, type Verification, verify } from "./verify.ts";
