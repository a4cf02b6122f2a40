/** What a page needs of cards before they are drawn: their sizes, looks and styles. */

export { type Back, BACKS, type CardLook, type Deck } from "./look.ts";
export { CARDS, type Size, aspectOf, isSmall, sizeFor } from "./sizes.ts";
export { CardStyles, faceClass } from "./styles.ts";
