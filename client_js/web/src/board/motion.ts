/** How cards move. Nothing moves for those who asked their system for less motion. */

const GLIDE = 160;
const TURN = 150;
const SHAKE = 240;

function isStill(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Let a card that already lies at its new place be seen to come from where it was. */
export function glide(card: HTMLElement, from: string, to: string, layer: number): void {
  if (isStill()) return;
  const underWay = card.getAnimations().length > 0;
  const start = underWay ? getComputedStyle(card).transform : from;
  settle(card);
  // The layer is animated too: a card in flight lies above all others, and drops back as it lands.
  card.animate(
    [
      { transform: start, zIndex: layer },
      { transform: to, zIndex: layer },
    ],
    { duration: GLIDE, easing: "cubic-bezier(0.2, 0.7, 0.3, 1)" },
  );
}

/** Put a card where it belongs at once. */
export function settle(card: HTMLElement): void {
  for (const animation of card.getAnimations()) animation.cancel();
}

/** Let a card be seen to turn over; it has its new face already. */
export function turn(sheet: HTMLElement): void {
  if (isStill()) return;
  sheet.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], {
    duration: TURN,
    easing: "ease-out",
  });
}

/** Say no. */
export function shake(sheet: HTMLElement): void {
  if (isStill()) return;
  const aside = (by: string) => ({ transform: `translateX(${by})` });
  sheet.animate([aside("0"), aside("-6%"), aside("5%"), aside("-3%"), aside("0")], {
    duration: SHAKE,
  });
}
