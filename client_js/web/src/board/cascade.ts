/** A win: the cards leave their foundations one after the other, and bounce off the table. */

import type { Card } from "../../../src/rules/cards.ts";
import { type Deck, type Size, dataUrl, faceSvg } from "../cards/index.ts";
import type { Box } from "./layout.ts";

/** Milliseconds in all, and between two cards that leave. */
const LASTS = 4_500;
/** Pixels by square second. */
const GRAVITY = 2_600;
const BOUNCE = 0.74;

interface Flying {
  readonly picture: HTMLImageElement;
  readonly width: number;
  readonly height: number;
  x: number;
  y: number;
  readonly speed: number;
  fall: number;
}

/** A pile of cards that go: where it lies, and its cards, bottom to top. */
export interface Leaving {
  readonly place: Box;
  readonly cards: readonly Card[];
}

/** Draw the cascade on a canvas that lies over the board; resolves when it is over or aborted. */
export async function cascade(
  canvas: HTMLCanvasElement,
  piles: readonly Leaving[],
  look: { size: Size; deck: Deck },
  stop: AbortSignal,
): Promise<void> {
  const context = canvas.getContext("2d");
  const { clientWidth: width, clientHeight: height } = canvas;
  if (context === null || width === 0) return;
  const ratio = Math.min(2, devicePixelRatio);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  const waiting = await leaving(piles, look);
  const every = (LASTS - 1_400) / Math.max(1, waiting.length);
  const flying: Flying[] = [];
  await new Promise<void>((over) => {
    let began: number | undefined;
    let last = 0;
    let left = 0;
    const frame = (now: number) => {
      began ??= last = now;
      const seconds = Math.min(0.04, (now - last) / 1_000);
      last = now;
      for (; left < waiting.length && left * every <= now - began; left++) {
        const card = waiting[left];
        if (card) flying.push(card);
      }
      for (const card of flying) {
        advance(card, seconds, height);
        context.drawImage(card.picture, card.x, card.y, card.width, card.height);
      }
      if (stop.aborted || now - began > LASTS) over();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

function advance(card: Flying, seconds: number, height: number): void {
  card.fall += GRAVITY * seconds;
  card.x += card.speed * seconds;
  card.y += card.fall * seconds;
  const floor = height - card.height;
  if (card.y > floor && card.fall > 0) {
    card.y = floor;
    card.fall *= -BOUNCE;
  }
}

/** The cards in the order in which they leave: from all piles in turn, the top ones first. */
async function leaving(
  piles: readonly Leaving[],
  { size, deck }: { size: Size; deck: Deck },
): Promise<Flying[]> {
  const found: Flying[] = [];
  const deepest = Math.max(0, ...piles.map(({ cards }) => cards.length));
  for (let depth = 1; depth <= deepest; depth++) {
    for (const { place, cards } of piles) {
      const card = cards.at(-depth);
      if (card === undefined) continue;
      const picture = new Image();
      picture.src = dataUrl(faceSvg(card, size, deck));
      const direction = Math.random() < 0.5 ? -1 : 1;
      found.push({
        picture,
        ...place,
        speed: direction * (90 + Math.random() * 330),
        fall: -Math.random() * 500,
      });
    }
  }
  await Promise.all(found.map(({ picture }) => picture.decode()));
  return found;
}
