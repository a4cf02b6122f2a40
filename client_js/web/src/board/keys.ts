/** Keyboard input on the board: the meaning of keys, and focus movement by arrow keys. */

import { pressedKey } from "../kit/keyboard.ts";

export type KeyMeaning = "activate" | "select" | "home" | "deal" | "escape";

const MEANINGS: Readonly<Record<string, KeyMeaning>> = {
  Enter: "activate",
  " ": "select",
  h: "home",
  d: "deal",
  Escape: "escape",
};

/** Return the meaning of a key on the board, if pressed without modifiers. */
export function meaningOf(event: KeyboardEvent): KeyMeaning | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return MEANINGS[pressedKey(event)];
}

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The weight of sideways distance relative to distance in the arrow's direction. */
const ASIDE = 2.5;

/** Return the control that an arrow key focuses: the nearest in its direction, if any. */
export function neighbour(
  board: HTMLElement,
  from: HTMLElement,
  key: string,
): HTMLElement | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined) return undefined;
  const [dx, dy] = direction;
  const origin = from.getBoundingClientRect();
  let best: { element: HTMLElement; distance: number } | undefined;
  for (const element of board.querySelectorAll<HTMLElement>("button")) {
    const box = element.getBoundingClientRect();
    const x = box.left - origin.left;
    const y = box.top - origin.top;
    const ahead = x * dx + y * dy;
    if (element === from || ahead <= 0) continue;
    const distance = ahead + ASIDE * Math.abs(x * dy + y * dx);
    if (best === undefined || distance < best.distance) best = { element, distance };
  }
  return best?.element;
}
