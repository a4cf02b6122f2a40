/** Boards with only a stock, a waste and one foundation, at all sizes. */

import type { BoardLayout, PileLayout } from "./boxes.ts";
import {
  LOOSE,
  type Room,
  SIDE_STEP,
  WIDEST_CARD,
  boxAt,
  laidOut,
  sizeOf,
  squared,
  wasteFan,
} from "./room.ts";
import { dock, raised } from "./tall.ts";
import { atEdge } from "./wide.ts";

/** Place one fanned foundation in the middle, with stock and waste on the side of the hand. */
export function withoutTableau(room: Room, isTall: boolean): BoardLayout {
  const { ruleset, width, height, margin, hand, aspect } = room;
  const piles: PileLayout[] = [];
  if (isTall) {
    const docked = dock(room, Math.min(width * 0.25, (height * 0.22) / aspect));
    const actions = raised(room, docked, height / 2);
    const free = Math.min(docked.top, actions.y) - 2 * margin;
    const cardWidth = Math.floor(Math.min(width * 0.46, (free * 0.72) / aspect));
    const step = cardWidth * SIDE_STEP[sizeOf(room, cardWidth)];
    docked.piles.forEach((pile, number) => (piles[number] = pile));
    const y = margin + (free - cardWidth * aspect) / 2;
    for (const pile of ruleset.foundations) {
      piles[pile] = wasteFan(
        room,
        pile,
        boxAt(room, (width - cardWidth) / 2, y, cardWidth),
        -step,
        0,
      );
    }
    return laidOut(room, piles, actions);
  }
  const actions = atEdge(room);
  const edge = actions === null ? 0 : actions.width + margin;
  const inner = width - 2 * margin - edge;
  const side = 2 * SIDE_STEP.large;
  const cards = 3 + 2 * side + 2 * LOOSE;
  const cardWidth = Math.floor(
    Math.min(inner / cards, ((height - 2 * margin) * 0.72) / aspect, WIDEST_CARD),
  );
  const step = (cardWidth * side) / 2;
  const y = (height - cardWidth * aspect) / 2;
  const left = (width - edge - cards * cardWidth) / 2 + (hand === "left" ? edge : 0);
  const between = cardWidth * LOOSE;
  // From the hand's side inwards: stock, waste, foundation.
  const x = (offset: number) => left + offset;
  const fanWidth = cardWidth + 2 * step;
  const at =
    hand === "left"
      ? {
          stock: x(0),
          waste: x(cardWidth + between + 2 * step),
          home: x(cardWidth + fanWidth + 2 * between + 2 * step),
        }
      : {
          home: x(2 * step),
          waste: x(fanWidth + between + 2 * step),
          stock: x(2 * fanWidth + 2 * between),
        };
  piles[ruleset.stock] = squared(room, ruleset.stock, boxAt(room, at.stock, y, cardWidth));
  if (ruleset.waste !== null) {
    piles[ruleset.waste] = wasteFan(
      room,
      ruleset.waste,
      boxAt(room, at.waste, y, cardWidth),
      -step,
      0,
    );
  }
  for (const pile of ruleset.foundations) {
    piles[pile] = wasteFan(room, pile, boxAt(room, at.home, y, cardWidth), -step, 0);
  }
  return laidOut(room, piles, actions);
}
