/** Automatic moves to foundations. */

import type { Evaluation } from "./evaluation.ts";
import type { WayHome } from "./plans.ts";
import type { Rows } from "./rows.ts";
import { NONE, type Tables, encoded, sourceOf } from "./tables.ts";

export class GoingHome {
  /** The automatic moves in the last generated position. */
  readonly automatic: number[] = [];

  private readonly tables: Tables;
  private readonly rows: Rows;
  private readonly evaluation: Evaluation;

  constructor(tables: Tables, rows: Rows, evaluation: Evaluation) {
    this.tables = tables;
    this.rows = rows;
    this.evaluation = evaluation;
  }

  /** Send cards home automatically, and record their moves in `automatic`. */
  send(row: number, how: WayHome, foundationsChanged: boolean): void {
    const { rows, tables, automatic } = this;
    automatic.length = 0;
    if (how === "never") return;
    // While no foundation changes, only the changed piles can have new moves.
    let move = this.nextHome(row, how, foundationsChanged);
    while (move !== NONE) {
      rows.play(row, move);
      automatic.push(move);
      if (sourceOf(move) === tables.waste) rows.words[row * rows.stride + rows.fresh] = 1;
      move = this.nextHome(row, how, true);
    }
  }

  /** Return the first automatic move home, considering all piles or only the changed ones. */
  private nextHome(row: number, how: WayHome, all: boolean): number {
    const { bytes, stride, cards, sizes, changed } = this.rows;
    const { piles, waste, playsHome } = this.tables;
    const base = row * 4 * stride;
    let counted = false;
    let end = base + cards + bytes[base + sizes]!;
    for (let pile = 1; pile < piles; pile++) {
      const size = bytes[base + sizes + pile]!;
      end += size;
      if (size === 0 || playsHome[pile] === 0 || !(all || changed[pile] === 1)) continue;
      const card = bytes[end - 1]!;
      const foundation = this.firstTaking(row, card);
      if (foundation === NONE) continue;
      if (pile !== waste || how === "safely") {
        if (!counted) this.evaluation.countFoundations(row);
        counted = true;
        if (!this.mayGoHome(card, how)) continue;
      }
      return encoded(pile, piles + foundation, 1);
    }
    return NONE;
  }

  /** Return the first foundation that takes a card, or `NONE`. */
  private firstTaking(row: number, card: number): number {
    const { foundations } = this.tables;
    for (let f = 0; f < foundations; f++) if (this.rows.takes(row, f, card)) return f;
    return NONE;
  }

  /**
   * Whether a card that fits a foundation goes there automatically, in a regular game.
   *
   * `safely`: every card that could be built on it is home, so no card in the tableau needs it, and
   * each other card of its kind can go home immediately as well, so none of them needs its place
   * there. This loses no win: omit this card's moves from any line. The rest is still a line,
   * because the cards below it are free sooner, and nothing needs the card itself.
   *
   * `later` and `early` are heuristics: of two cards of a kind, the other may be the one that has
   * to leave. `early` also ignores cards that can go home themselves.
   */
  private mayGoHome(card: number, how: WayHome): boolean {
    const { line, turn, kids } = this.tables;
    const { fewest } = this.evaluation;
    const nth = turn[card]!;
    if (how === "safely") {
      if (fewest[line[card]!]! < nth) return false;
    } else if (nth <= 1) {
      return true;
    }
    const slack = how === "early" ? 1 : 0;
    for (const kid of kids[card]!) {
      if (fewest[line[kid]!]! + slack <= turn[kid]!) return false;
    }
    return true;
  }
}
