/** Card animations, limited to transforms, which browsers run off the main thread. */

/** Durations in milliseconds; `pixelsEach`: the path length in pixels that adds one. */
const GLIDE = { least: 140, most: 190, pixelsEach: 8 };
const TURN = 160;
const SHAKE = 260;

const EASE_OUT = "cubic-bezier(0.2, 0.7, 0.3, 1)";

/** The bend of a flight's path: as a fraction of its length, and the maximum in pixels. */
const BEND = { part: 0.07, most: 26 };
/** Degrees. */
const TILT = 2;

/** A card's transform: its top left corner, and its scale relative to the element's size. */
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

export interface Flight {
  /** Milliseconds. */
  readonly delay: number;
  /** The z-index during the flight, above all cards at rest. */
  readonly layer: number;
  /** Milliseconds; derived from the path's length if undefined. */
  readonly duration?: number;
}

/** Each card's animation. `getAnimations` would recompute all styles for each card. */
const flights = new WeakMap<HTMLElement, Animation>();

/** Animate a card, already at its new position, from the old one. */
export function glide(card: HTMLElement, from: Pose, to: Pose, flight: Flight): Animation {
  const underWay = flights.get(card)?.playState === "running";
  // A redirected flight continues from the card's current position, without a bend.
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

/** Cancel a card's flight, so that it is at its position immediately. */
export function settle(card: HTMLElement): void {
  flights.get(card)?.cancel();
}

/** Animate turning a card over; it already has its new face. */
export function turn(sheet: HTMLElement, delay: number): void {
  sheet.animate([{ transform: "rotateY(90deg) scale(1.04)" }, { transform: "none" }], {
    delay,
    duration: TURN,
    easing: "ease-out",
    fill: "backwards",
  });
}

export function shake(sheet: HTMLElement): void {
  const aside = (by: number) => ({ transform: `translateX(${by}px)` });
  sheet.animate([0, -6, 6, -6, 6, 0].map(aside), { duration: SHAKE, easing: "ease-out" });
}
