/** A ruleset as tables of small integers, and its moves as numbers. */

import { PACK_SIZE, isRed } from "../../rules/cards.ts";
import { EMPTY, type Move, ROW, type Ruleset } from "../../rules/ruleset.ts";
import { LANES, randomNumbers } from "./hashes.ts";

/** Stands for the top card of an empty foundation, and for a kind or a place that is not there. */
export const NONE = -1;
export const RANKS = 13;

const SEED = 0x85ebca6b;

/**
 * How runs move: not, whole, or as far as empty piles carry them: by spaces, a single card onto an
 * empty pile; by places, as many as the other empty piles carry.
 */
const WAYS = ["card", "run", "run-by-spaces", "run-by-places"] as const;
type Way = (typeof WAYS)[number];

/** Whether the search knows this way in which runs move. */
export function isWay(moves: Ruleset["moves"]): moves is Way {
  return WAYS.some((way) => way === moves);
}

/** A move as one number; targets beyond the piles are foundations, and after those a row. */
export function encoded(source: number, target: number, count: number): number {
  return (source << 17) | (target << 7) | count;
}

export const sourceOf = (move: number): number => move >> 17;
export const targetOf = (move: number): number => (move >> 7) & 1023;
export const countOf = (move: number): number => move & 127;

/** Whether the stock's top card is moved, or the waste is turned over. */
export function isDeal(move: number): boolean {
  return sourceOf(move) === 0 || targetOf(move) === 0;
}

/**
 * The kind of each card: cards that no rule tells apart have the same.
 *
 * Such cards lie on the same cards and under the same ones, in the tableau and on foundations, so
 * that swapping them in a position changes no move that is legal from there on.
 */
export function kindsOf(ruleset: Ruleset): number[] {
  const cards = [...Array(PACK_SIZE).keys()];
  const tables = [ruleset.builds, ruleset.carries, ...ruleset.homes];
  const traits = new Map<string, number>();
  return cards.map((card) => {
    const trait = [
      ...tables.flatMap((fits) => [...cards, EMPTY].map((top) => fits(top, card))),
      ...tables.flatMap((fits) => cards.map((other) => fits(card, other))),
      ...ruleset.foundations.map((foundation) => ruleset.headsRun(foundation, card)),
    ];
    const text = trait.map(Number).join("");
    const kind = traits.get(text) ?? traits.size;
    traits.set(text, kind);
    return kind;
  });
}

/**
 * A ruleset for the search. Cards are numbered by their kinds. Piles are numbered from the stock, 0,
 * over the tableau, from 1, to the waste, which the ruleset may not have.
 */
export class Tables {
  readonly ruleset: Ruleset;
  /** The kind of each card. */
  readonly kind: readonly number[];
  readonly kinds: number;
  readonly columns: number;
  /** The number of all piles but foundations. */
  readonly piles: number;
  readonly waste: number;
  readonly foundations: number;
  readonly total: number;
  readonly redeals: number;
  readonly runs: Way;
  /** For each pile, whether its top card goes to foundations. */
  readonly playsHome: Uint8Array;
  readonly columnSpreads: boolean;
  readonly wasteSpreads: boolean;
  readonly stockToWaste: boolean;
  readonly stockToRow: boolean;
  readonly stockSpreads: boolean;
  /** Whether no row is dealt while a tableau pile is empty that could have cards. */
  readonly rowsNeedCards: boolean;
  /** Whether nothing but rows is dealt from the stock. */
  readonly rowsAlone: boolean;
  /** Whether runs go home by themselves. */
  readonly automatic: boolean;
  /** To which foundations the stock's top card goes: none, or as the ruleset says. */
  readonly stockHome: "none" | "fitting" | "first" | "any";
  /** The piles that fill an emptied tableau pile: the first of them that has cards does. */
  readonly fill: readonly number[];
  /** Whether a deal commutes with all moves that do not take the waste's top card. */
  readonly defers: boolean;
  /** Whether it matters for the order in which cards are needed when the stock brings them. */
  readonly timed: boolean;
  /** Whether it is defined which cards may go home by themselves; see `regularOf`. */
  readonly regular: boolean;

  /** Whether a card fits a tableau pile: `[(top + 1) * kinds + card]`, with `NONE` for no top. */
  readonly builds: Uint8Array;
  /** The same for a card that moves together with the one below it. */
  readonly carries: Uint8Array;
  /** The number of each foundation's group; those of equal rules are of one group. */
  readonly group: Uint8Array;
  /** Whether a foundation takes a card: `[(group * (kinds + 1) + top + 1) * kinds + card]`. */
  readonly homes: Uint8Array;
  /** For each group, whether it takes runs. */
  readonly takesRuns: Uint8Array;
  readonly hasRunGroups: boolean;
  /** Whether a card heads a run that a foundation takes: `[group * kinds + card]`. */
  readonly heads: Uint8Array;
  /** A hash of what a foundation takes: `[(group * (kinds + 1) + top + 1) * LANES + lane]`. */
  readonly alike: Int32Array;

  /** The line of each kind: a set of kinds that one foundation takes, one after the other. */
  readonly line: Uint8Array;
  readonly lines: number;
  /** For each kind, how many cards of its line go home before it. */
  readonly turn: Uint8Array;
  /** How many foundations each line can have. */
  readonly slots: Uint8Array;
  /** The kind of a line that has a turn, or `NONE`: `[line * RANKS + turn]`. */
  readonly byLine: Int8Array;
  /** For each kind, whether it fits on no card. */
  readonly orphan: Uint8Array;
  /** For each kind, those that fit on it. */
  readonly kids: readonly Uint8Array[];
  /** How many cards of each kind there are. */
  readonly copies: readonly number[];
  /** Random numbers of cards at places: `[(place * kinds + card) * LANES + lane]`. */
  readonly random: Int32Array;

  /** A card of each kind. */
  private readonly cards: readonly number[];
  private readonly groups: readonly Ruleset["groups"][number][];
  private readonly numbers: readonly (number | null)[];

  constructor(ruleset: Ruleset) {
    const { rules, stock } = ruleset;
    this.ruleset = ruleset;
    this.kind = kindsOf(ruleset);
    this.kinds = Math.max(...this.kind) + 1;
    this.cards = Array.from({ length: this.kinds }, (_, kind) => this.kind.indexOf(kind));
    this.numbers = [stock, ...ruleset.tableau, ruleset.waste];
    this.columns = ruleset.tableau.length;
    this.piles = this.columns + 2;
    this.waste = this.columns + 1;
    this.foundations = ruleset.foundations.length;
    this.total = ruleset.total;
    this.redeals = ruleset.redeals;
    if (!isWay(ruleset.moves)) throw new RangeError(`The search cannot move ${ruleset.moves}.`);
    this.runs = ruleset.moves;
    const columnPlays = rules.tableau?.plays ?? [];
    const wastePlays = rules.waste?.plays ?? [];
    this.playsHome = new Uint8Array(this.piles).fill(Number(columnPlays.includes("foundation")));
    this.playsHome[this.waste] = Number(wastePlays.includes("foundation"));
    this.columnSpreads = columnPlays.includes("tableau");
    this.wasteSpreads = wastePlays.includes("tableau");
    const { plays } = rules.stock;
    this.stockToWaste = plays.includes("waste");
    this.stockToRow = plays.includes("row");
    this.stockSpreads = plays.includes("tableau");
    this.rowsNeedCards = !rules.stock.row_on_empty;
    this.rowsAlone = plays.join() === "row";
    this.automatic = ruleset.automatic;
    this.stockHome = plays.includes("foundation") ? rules.stock.to_foundation : "none";
    const fill = rules.tableau?.fill ?? [];
    this.fill = fill.map((place) => (place === "waste" ? this.waste : 0));
    this.defers = plays.join() === "waste" && fill.length === 0;

    const texts = ruleset.groups.map((group) => JSON.stringify(group));
    const different = [...new Set(texts)];
    this.group = Uint8Array.from(texts, (text) => different.indexOf(text));
    this.groups = different.map((text) => ruleset.groups[texts.indexOf(text)]!);
    const first = different.map((text) => texts.indexOf(text));
    this.builds = this.fits(ruleset.builds);
    this.carries = this.fits(ruleset.carries);
    this.homes = Uint8Array.from(first.flatMap((at) => [...this.fits(ruleset.homes[at]!)]));
    this.takesRuns = Uint8Array.from(this.groups, ({ takes }) => Number(takes === "run"));
    this.hasRunGroups = this.takesRuns.includes(1);
    this.heads = Uint8Array.from(
      first.flatMap((at) => this.cards.map((card) => Number(ruleset.headsRun(at, card)))),
    );
    this.alike = this.alikeOf();

    const line = this.linesOf();
    this.line = Uint8Array.from(line);
    this.lines = Math.max(...line) + 1;
    // A card that goes home in runs only comes after all turns; it shares the last.
    this.turn = Uint8Array.from(this.cards, (card) => Math.min(ruleset.turns[card]!, RANKS - 1));
    const kinds = [...this.cards.keys()];
    const dealt = ruleset.pack.map((card) => this.kind[card]!);
    this.copies = kinds.map((kind) => dealt.filter((each) => each === kind).length);
    this.slots = Uint8Array.from({ length: this.lines }, (_, at) => this.slotsOf(line.indexOf(at)));
    this.byLine = new Int8Array(this.lines * RANKS).fill(NONE);
    for (const kind of kinds) this.byLine[line[kind]! * RANKS + this.turn[kind]!] = kind;
    this.kids = kinds.map((top) =>
      Uint8Array.from(kinds.filter((kid) => this.builds[(top + 1) * this.kinds + kid])),
    );
    this.orphan = Uint8Array.from(kinds, (kind) =>
      Number(this.kids.every((each) => !each.includes(kind))),
    );
    this.timed = ruleset.waste !== null && this.hasOrder() && this.isOneToOne();
    this.regular = this.regularOf();
    this.random = randomNumbers((this.total + 1) * this.kinds * LANES, SEED);
  }

  /** The move that a number encodes. */
  move(move: number): Move {
    const source = this.numbers[sourceOf(move)]!;
    const target = targetOf(move);
    if (target < this.piles) {
      return { source, target: this.numbers[target]!, count: target === 0 ? 1 : countOf(move) };
    }
    const foundation = target - this.piles;
    return {
      source,
      target: foundation === this.foundations ? ROW : foundation,
      count: countOf(move),
    };
  }

  /** The pile of the ruleset that a number stands for; null if it has none. */
  pileOf(number: number): number | null {
    return this.numbers[number] ?? null;
  }

  /** A table of cards as one of kinds. */
  private fits(fits: Ruleset["builds"]): Uint8Array {
    return Uint8Array.from(
      [EMPTY, ...this.cards].flatMap((top) => this.cards.map((card) => Number(fits(top, card)))),
    );
  }

  /**
   * Tops that take the same cards have the same random number. An empty foundation is like no other
   * where runs or the stock's cards go to those only.
   */
  private alikeOf(): Int32Array {
    const { kinds, groups, homes } = this;
    const tops = groups.length * (kinds + 1);
    const random = randomNumbers(tops * LANES, SEED + 1);
    const found = new Map<string, number>();
    return Int32Array.from({ length: tops * LANES }, (_, at) => {
      const top = Math.floor(at / LANES);
      const group = Math.floor(top / (kinds + 1));
      const taken = homes.subarray(top * kinds, (top + 1) * kinds).join("");
      const onlyEmpty = this.takesRuns[group] === 1 || this.stockHome === "first";
      const full = onlyEmpty && top % (kinds + 1) > 0;
      const key = `${group} ${full} ${taken} ${at % LANES}`;
      const number = found.get(key) ?? random[at]!;
      found.set(key, number);
      return number;
    });
  }

  private linesOf(): number[] {
    const matches = new Set(
      this.groups.filter(({ takes }) => takes === "card").map(({ match }) => match),
    );
    const [match] = matches.size === 1 ? matches : [];
    if (match === "suit") return this.cards.map((card) => Math.floor(card / RANKS));
    if (match === "colour") return this.cards.map((card) => Number(isRed(card)));
    return this.cards.map(() => 0);
  }

  /** How many foundations the line of a kind can have. */
  private slotsOf(kind: number): number {
    const card = this.cards[kind]!;
    const tops = [EMPTY, ...Array(PACK_SIZE).keys()];
    const taking = this.ruleset.homes.filter((fits) => tops.some((top) => fits(top, card)));
    return Math.min(taking.length, this.copies[kind]!);
  }

  /** Whether each foundation starts with a fixed rank and goes one way. */
  private hasOrder(): boolean {
    return this.groups.every(
      ({ first, order }) => first !== "any" && (order === "up" || order === "down"),
    );
  }

  /** Whether line and turn tell the kinds apart. */
  private isOneToOne(): boolean {
    return this.byLine.filter((kind) => kind !== NONE).length === this.kinds;
  }

  /**
   * Whether each foundation takes all cards of one line, in one order, and there is one for each
   * copy of the cards that start them. Filling emptied piles is excluded as well: there a card may
   * be wanted as the filling. So are rows from a stock that was the waste: there a card that stays
   * in the waste decides on which piles the others come to lie.
   */
  private regularOf(): boolean {
    const { groups } = this;
    const orders = groups.map((group) => [
      group.first,
      group.order,
      group.suits,
      group.match,
      group.wrap,
    ]);
    const starts = this.copies.reduce(
      (sum, copies, kind) => sum + (this.turn[kind] === 0 ? copies : 0),
      0,
    );
    return (
      groups.every(
        ({ takes, match }) => takes === "card" && (match === "suit" || match === "any"),
      ) &&
      new Set(orders.map((order) => order.join())).size === 1 &&
      this.foundations >= starts &&
      !(this.stockToRow && this.redeals > 0) &&
      this.hasOrder() &&
      this.isOneToOne() &&
      this.fill.length === 0 &&
      this.stockHome !== "any" &&
      this.copies.every((copies, kind) => copies === this.slots[this.line[kind]!])
    );
  }
}
