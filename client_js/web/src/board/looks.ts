/** The look of each card on the board: its position, face and marks, for `cardElements.ts`. */

import { type View, pileAt } from "../../../src/rules/board.ts";
import { UNSEEN } from "../../../src/rules/cards.ts";
import { isCovered } from "../../../src/rules/moves.ts";
import { type Move, RUN_LENGTH } from "../../../src/rules/ruleset.ts";
import { faceClass, sizeFor } from "../cards/index.ts";
import type { Place, Table } from "./choices.ts";
import { type InputState, canLift } from "./input.ts";
import type { BoardLayout } from "./places/boxes.ts";
import type { Pose } from "./motion.ts";
import type { Piece } from "./reconcile.ts";

export interface Look {
  readonly piece: Piece;
  readonly pose: Pose;
  /** The pile's name in moves, such as `t3`. */
  readonly pile: string;
  /** The CSS class for its face or back. */
  readonly face: string;
  /** Its marks, as CSS classes. */
  readonly marks: string;
  /** Whether it follows the pointer. */
  readonly held: boolean;
  /** The z-index at rest, above the cards that it covers. */
  readonly layer: number;
  /** Increases with each request to shake the card. */
  readonly shakes: number;
}

export interface Scene {
  readonly table: Table;
  readonly layout: BoardLayout;
  readonly input: InputState;
  /** The piles that take the dragged or selected cards. */
  readonly targets: ReadonlySet<number>;
  readonly hint: Move | null;
  /** The cards that the guide highlights; null without the guide. */
  readonly guided: readonly Place[] | null;
  readonly refused: { readonly place: Place; readonly count: number } | null;
}

/** The number of rendered cards of a squared pile, enough even while one is in flight. */
const DRAWN = 3;

export function looksOf(pieces: readonly Piece[], scene: Scene): Look[] {
  const { table, input, targets, hint, refused } = scene;
  const { view } = table;
  const { ruleset } = view;
  const { press, selected } = input;
  const held = press?.dragging === true && canLift(table, press.place) ? press.place : null;
  const guided = press === null ? scene.guided : null;
  return pieces.map((piece) => {
    const { pile, index, card } = piece;
    const top = pileAt(view, pile).length - 1;
    const marks = {
      buried: isBuried(view, piece),
      covered: isCovered(view, pile),
      held: isFrom(held, piece),
      pressed: isFrom(press?.place, piece),
      selected: isFrom(selected, piece),
      target: index === top && (targets.has(pile) || hint?.target === pile),
      hinted: guided
        ? guided.some((place) => place.pile === pile && place.index === index)
        : hint?.source === pile && index > top - hint.count,
    };
    const size = scene.layout.piles[pile]?.size ?? sizeFor(scene.layout.cardWidth);
    return {
      piece,
      pose: poseOf(scene.layout, piece),
      pile: ruleset.pileNames[pile] ?? "",
      face: faceClass(size, card === UNSEEN ? "back" : card),
      marks: Object.entries(marks)
        .filter(([, has]) => has)
        .map(([name]) => name)
        .join(" "),
      held: marks.held,
      // Places of peaks are numbered row by row.
      layer: ruleset.peaks !== null && ruleset.tableau.includes(pile) ? pile : index,
      shakes: refused?.place.pile === pile && refused.place.index === index ? refused.count : 0,
    };
  });
}

/** Whether a card lies too deep in a squared pile to be visible, even while others fly to it. */
export function isBuried({ ruleset, piles }: View, { pile, index }: Place): boolean {
  const { tableau, reserve, waste, groups, rules, clears } = ruleset;
  if (tableau.includes(pile) || reserve.includes(pile)) return false;
  // When the tableau is cleared, all other cards fly home.
  const cleared = clears && tableau.every((place) => piles[place]?.length === 0);
  if (cleared) return false;
  const takes = groups[pile]?.takes;
  const together = takes === "run" ? RUN_LENGTH : takes === "pair" ? 2 : 1;
  const atOnce = pile === waste ? rules.stock.turns : together;
  return index < (piles[pile]?.length ?? 0) - DRAWN - atOnce;
}

export function poseOf({ piles, cardWidth }: BoardLayout, { pile, index }: Place): Pose {
  const found = piles[pile];
  const at = found?.cards[index] ?? found?.place ?? { x: 0, y: 0 };
  return { x: at.x, y: at.y, scale: (found?.place.width ?? 0) / Math.max(1, cardWidth) };
}

/** Whether a piece is the card at a place, or lies on it. */
function isFrom(place: Place | null | undefined, { pile, index }: Piece): boolean {
  return place?.pile === pile && index >= place.index;
}
