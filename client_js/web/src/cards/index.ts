/** The sizes, looks and styles of cards, without their drawings. */

export { type Back, BACKS, type CardLook, type Deck } from "./look.ts";
export { CARDS, type Size, type Usual, aspectOf, isSmall, sizeFor } from "./sizes.ts";
export { CardStyles, faceClass } from "./styles.ts";
