/** Cards that go home by themselves. */

import type { Evaluation } from "./evaluation.ts";
import type { WayHome } from "./plans.ts";
import type { Rows } from "./rows.ts";
import { NONE, type Tables, encoded, sourceOf } from "./tables.ts";

export class GoingHome {
  /** The moves that cards made by themselves in the position that was generated last. */
  readonly automatic: number[] = [];

  private readonly tables: Tables;
  private readonly rows: Rows;
  private readonly evaluation: Evaluation;

  constructor(tables: Tables, rows: Rows, evaluation: Evaluation) {
    this.tables = tables;
    this.rows = rows;
    this.evaluation = evaluation;
  }

  /** Let the cards go home that go there by themselves, and note their moves in `automatic`. */
  send(row: number, how: WayHome, foundationsChanged: boolean): void {
    const { rows, tables, automatic } = this;
    automatic.length = 0;
    if (how === "never") return;
    // Only the piles that changed are looked at, as long as no foundation does.
    let move = this.nextHome(row, how, foundationsChanged);
    while (move !== NONE) {
      rows.play(row, move);
      automatic.push(move);
      if (sourceOf(move) === tables.waste) rows.words[row * rows.stride + rows.fresh] = 1;
      move = this.nextHome(row, how, true);
    }
  }

  /** The first move of a card that goes home by itself, from all piles or those that changed. */
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

  /** The first foundation that takes a card, or `NONE`. */
  private firstTaking(row: number, card: number): number {
    const { foundations } = this.tables;
    for (let f = 0; f < foundations; f++) if (this.rows.takes(row, f, card)) return f;
    return NONE;
  }

  /**
   * Whether a card that some foundation takes goes there by itself, in a regular game.
   *
   * `safely`: every card that could be built on it is home, so that it serves no other card in the
   * tableau; and each other card of its kind can go home at once as well, so that none of them needs
   * its place there. No win is lost: take any line of moves, and leave out the moves of this card.
   * The rest is still a line, since what the card covers is free sooner, and nothing needs the
   * card below it.
   *
   * `later` and `early` are heuristics: of two cards of a kind, the other may be the one that has
   * to leave. `early` lets also those be left that can go home themselves.
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
