/** The win animation: cards leave the foundations one by one and bounce off the table's edge. */

import type { Card } from "../../../src/rules/cards.ts";
import type { Box } from "./places/boxes.ts";

/** The total duration in milliseconds. */
const DURATION = 4_500;
/** Pixels per second squared. */
const GRAVITY = 2_600;
const BOUNCE = 0.74;
/** The fraction of a trail's opacity left after a second. */
const TRAIL = 0.002;

interface Flying {
  readonly picture: ImageBitmap;
  readonly width: number;
  readonly height: number;
  x: number;
  y: number;
  readonly speed: number;
  fall: number;
}

/** A pile that releases its cards: its box, and its cards from bottom to top. */
export interface Leaving {
  readonly place: Box;
  readonly cards: readonly Card[];
}

/**
 * Draw the cascade on a canvas over the board; resolves when it is over or aborted. `pictureOf`
 * returns a card's picture, or undefined until it is loaded.
 */
export async function cascade(
  canvas: HTMLCanvasElement,
  piles: readonly Leaving[],
  pictureOf: (card: Card) => HTMLImageElement | undefined,
  stop: AbortSignal,
): Promise<void> {
  const context = canvas.getContext("2d");
  const { clientWidth: width, clientHeight: height } = canvas;
  if (context === null || width === 0) return;
  const ratio = Math.min(2, devicePixelRatio);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.scale(ratio, ratio);
  const order = leaving(piles);
  const every = (DURATION - 1_400) / Math.max(1, order.length);
  // Create bitmaps one at a time, while the first cards fly.
  const waiting: Flying[] = [];
  const drawAll = async () => {
    for (const { card, place } of order) {
      let picture: HTMLImageElement | undefined;
      while (picture === undefined) {
        if (stop.aborted) return;
        await new Promise(requestAnimationFrame);
        picture = pictureOf(card);
      }
      waiting.push(takeOff(await rasterize(picture, place, ratio), place));
    }
  };
  const drawing = drawAll();
  const flying: Flying[] = [];
  await new Promise<void>((over) => {
    let began: number | undefined;
    let last = 0;
    let left = 0;
    const frame = (now: number) => {
      began ??= last = now;
      // Limited, so that a late frame does not make cards jump.
      const seconds = Math.min(0.04, (now - last) / 1_000);
      last = now;
      for (; left < waiting.length && left * every <= now - began; left++) {
        const card = waiting[left];
        if (card) flying.push(card);
      }
      fade(context, 1 - TRAIL ** seconds, width, height);
      for (const card of flying) {
        advance(card, seconds, height);
        context.drawImage(card.picture, card.x, card.y, card.width, card.height);
      }
      if (stop.aborted || now - began > DURATION) over();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await drawing;
}

/** Fade the canvas by a fraction from 0 to 1, so that cards leave trails. */
function fade(context: CanvasRenderingContext2D, part: number, width: number, height: number) {
  context.globalCompositeOperation = "destination-out";
  context.fillStyle = `rgb(0 0 0 / ${part})`;
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = "source-over";
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

/** Return the cards in the order of release: all top cards, then those below, and so on. */
function leaving(piles: readonly Leaving[]): { card: Card; place: Box }[] {
  const deepest = Math.max(0, ...piles.map(({ cards }) => cards.length));
  return Array.from({ length: deepest }, (_, depth) =>
    piles.flatMap(({ place, cards }) => {
      const card = cards.at(-1 - depth);
      return card === undefined ? [] : [{ place, card }];
    }),
  ).flat();
}

function takeOff(picture: ImageBitmap, place: Box): Flying {
  const direction = Math.random() < 0.5 ? -1 : 1;
  const speed = direction * (90 + Math.random() * 330);
  return { picture, ...place, speed, fall: -Math.random() * 500 };
}

/** Rasterize a picture once for all frames; browsers do this off the main thread. */
function rasterize(picture: HTMLImageElement, { width, height }: Box, ratio: number) {
  const resizeWidth = Math.round(width * ratio);
  const resizeHeight = Math.round(height * ratio);
  return createImageBitmap(picture, { resizeWidth, resizeHeight });
}
