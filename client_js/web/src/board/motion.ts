/** How cards move: transforms alone, which the browser animates beside the page's own work. */

/** Milliseconds. */
const GLIDE = { least: 140, most: 190, pixelsEach: 8 };
const TURN = 160;
const SHAKE = 260;

const EASE_OUT = "cubic-bezier(0.2, 0.7, 0.3, 1)";

/** How far a flying card's way bends, by its length, and the most in pixels. */
const BEND = { part: 0.07, most: 26 };
const TILT = 2;

/** A position of a card as it is drawn: its corner, and its size by that of the element. */
export interface Pose {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export function transformOf({ x, y, scale }: Pose): string {
  return `translate(${x}px, ${y}px) scale(${scale})`;
}

export function isSame(a: Pose, b: Pose): boolean {
  return a.x === b.x && a.y === b.y && a.scale === b.scale;
}

/** When and above what a card flies. */
export interface Flight {
  /** Milliseconds that it waits first. */
  readonly delay: number;
  /** A z-index; a card in flight lies above all others, and drops back as it lands. */
  readonly layer: number;
  /** Milliseconds that it takes, if not as many as the way is long. */
  readonly duration?: number;
}

/** The flight of each card: asking the browser would have it work out all styles, card by card. */
const flights = new WeakMap<HTMLElement, Animation>();

/** Let a card that already lies at its new place be seen to come from where it was. */
export function glide(card: HTMLElement, from: Pose, to: Pose, flight: Flight): Animation {
  const underWay = flights.get(card)?.playState === "running";
  const start = underWay ? getComputedStyle(card).transform : transformOf(from);
  settle(card);
  const way = Math.hypot(to.x - from.x, to.y - from.y);
  const bend = Math.min(BEND.most, way * BEND.part);
  const tilt = way > 40 ? Math.sign(to.x - from.x) * TILT : 0;
  const middle: Pose = {
    x: (from.x + to.x) / 2,
    y: (from.y + to.y) / 2 - bend,
    scale: (from.scale + to.scale) / 2,
  };
  const zIndex = flight.layer;
  const animation = card.animate(
    [
      { transform: start, zIndex },
      ...(underWay ? [] : [{ transform: `${transformOf(middle)} rotate(${tilt}deg)`, zIndex }]),
      { transform: transformOf(to), zIndex },
    ],
    {
      delay: flight.delay,
      duration: flight.duration ?? Math.min(GLIDE.most, GLIDE.least + way / GLIDE.pixelsEach),
      easing: EASE_OUT,
      fill: "backwards",
    },
  );
  flights.set(card, animation);
  return animation;
}

/** Put a card where it belongs at once. */
export function settle(card: HTMLElement): void {
  flights.get(card)?.cancel();
}

/** Let a card be seen to turn over; it has its new face already. */
export function turn(sheet: HTMLElement, delay: number): void {
  sheet.animate([{ transform: "rotateY(90deg) scale(1.04)" }, { transform: "none" }], {
    delay,
    duration: TURN,
    easing: "ease-out",
    fill: "backwards",
  });
}

/** Say no. */
export function shake(sheet: HTMLElement): void {
  const aside = (by: number) => ({ transform: `translateX(${by}px)` });
  sheet.animate([0, -6, 6, -6, 6, 0].map(aside), { duration: SHAKE, easing: "ease-out" });
}
