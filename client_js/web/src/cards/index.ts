/** The cards as pictures, and as styles of the page. */

export { type Back, BACKS, backSvg } from "./backs.ts";
export { CARDS, type Deck, type Size, faceSvg, isSmall, sizeFor } from "./faces.ts";
export { type CardLook, CardStyles, dataUrl, faceClass } from "./styles.ts";
