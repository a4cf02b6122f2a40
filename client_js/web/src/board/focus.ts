/** Arrow keys on the board: the focus goes to the nearest card or place in their direction. */

const DIRECTIONS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** How much worse a step aside is than one in the right direction. */
const ASIDE = 2.5;

/** The element that an arrow key leads to, if the key is one and there is such an element. */
export function neighbour(
  board: HTMLElement,
  from: Element | null,
  key: string,
): HTMLElement | undefined {
  const direction = DIRECTIONS[key];
  if (direction === undefined || from === null || !board.contains(from)) return undefined;
  const [dx, dy] = direction;
  const origin = from.getBoundingClientRect();
  let best: { element: HTMLElement; distance: number } | undefined;
  for (const element of board.querySelectorAll<HTMLElement>('[tabindex="0"]')) {
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
