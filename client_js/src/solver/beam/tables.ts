/** A ruleset as tables of small integers, with numbered moves. */

import { PACK_SIZE, isRed } from "../../rules/cards.ts";
import { EMPTY, type Move, ROW, type Ruleset } from "../../rules/ruleset.ts";
import { LANES, randomNumbers } from "./hashes.ts";

/** The top card of an empty foundation, and an absent kind or place. */
export const NONE = -1;
export const RANKS = 13;

const SEED = 0x85ebca6b;

/**
 * How runs move: not at all, whole, or as far as empty piles permit. By spaces, only a single card
 * moves onto an empty pile; by places, as many as the other empty piles permit.
 */
const WAYS = ["card", "run", "run-by-spaces", "run-by-places"] as const;
type Way = (typeof WAYS)[number];

/** Whether the search supports this kind of run moves. */
export function isWay(moves: Ruleset["moves"]): moves is Way {
  return WAYS.some((way) => way === moves);
}

/** Encode a move as a number; targets beyond the piles are foundations, followed by a row. */
export function encoded(source: number, target: number, count: number): number {
  return (source << 17) | (target << 7) | count;
}

export const sourceOf = (move: number): number => move >> 17;
export const targetOf = (move: number): number => (move >> 7) & 1023;
export const countOf = (move: number): number => move & 127;

/** Whether the move takes the stock's top card or turns the waste over. */
export function isDeal(move: number): boolean {
  return sourceOf(move) === 0 || targetOf(move) === 0;
}

/**
 * Return the kind of each card: cards that no rule distinguishes share one.
 *
 * Such cards fit on the same cards and take the same cards, in the tableau and on foundations, so
 * swapping them in a position changes no legal move from there on.
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
 * A ruleset for the search. Cards are numbered by their kinds. Piles are numbered from the stock,
 * 0, over the tableau, from 1, to the waste, which may be absent.
 */
export class Tables {
  readonly ruleset: Ruleset;
  readonly kind: readonly number[];
  readonly kinds: number;
  readonly columns: number;
  /** The number of piles other than foundations. */
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
  /** Whether an empty tableau pile that could have cards prevents dealing a row. */
  readonly rowsNeedCards: boolean;
  /** Whether the stock deals only rows. */
  readonly rowsAlone: boolean;
  /** Whether runs go home automatically. */
  readonly automatic: boolean;
  /** The foundations for the stock's top card: none, or as the ruleset says. */
  readonly stockHome: "none" | "fitting" | "first" | "any";
  /** The piles that fill an emptied tableau pile, in order of preference. */
  readonly fill: readonly number[];
  /** Whether a deal commutes with all moves that do not take the waste's top card. */
  readonly defers: boolean;
  /** Whether the order of the stock affects when cards are needed. */
  readonly timed: boolean;
  /** Whether automatic moves home are well-defined; see `regularOf`. */
  readonly regular: boolean;

  /** Whether a card fits a tableau pile: `[(top + 1) * kinds + card]`, with `NONE` for no top. */
  readonly builds: Uint8Array;
  /** The same for a card that moves together with the one below it. */
  readonly carries: Uint8Array;
  /** The group of each foundation; foundations with equal rules share one. */
  readonly group: Uint8Array;
  /** Whether a foundation takes a card: `[(group * (kinds + 1) + top + 1) * kinds + card]`. */
  readonly homes: Uint8Array;
  readonly takesRuns: Uint8Array;
  readonly hasRunGroups: boolean;
  /** Whether a card heads a run that a foundation takes: `[group * kinds + card]`. */
  readonly heads: Uint8Array;
  /** A hash of the cards a foundation takes: `[(group * (kinds + 1) + top + 1) * LANES + lane]`. */
  readonly alike: Int32Array;

  /** The line of each kind: kinds that one foundation takes successively. */
  readonly line: Uint8Array;
  readonly lines: number;
  /** For each kind, the number of cards of its line that go home before it. */
  readonly turn: Uint8Array;
  /** The most foundations of each line. */
  readonly slots: Uint8Array;
  /** The kind of a line with a given turn, or `NONE`: `[line * RANKS + turn]`. */
  readonly byLine: Int8Array;
  /** For each kind, whether it fits on no card. */
  readonly orphan: Uint8Array;
  /** For each kind, the kinds that fit on it. */
  readonly kids: readonly Uint8Array[];
  /** The number of cards of each kind. */
  readonly copies: readonly number[];
  /** Random numbers of cards at places: `[(place * kinds + card) * LANES + lane]`. */
  readonly random: Int32Array;

  /** One card of each kind. */
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
    const limited = ruleset.moves.startsWith("run-by");
    // Empty columns that take only some cards carry no runs, and there are no cells.
    this.runs = limited && ruleset.carriers[0].length === 0 ? "card" : ruleset.moves;
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
    // A card that only goes home in runs comes after all turns; it shares the last one.
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

  /** Return the ruleset's pile number for a number of the search, or null. */
  pileOf(number: number): number | null {
    return this.numbers[number] ?? null;
  }

  /** Convert a table of cards to one of kinds. */
  private fits(fits: Ruleset["builds"]): Uint8Array {
    return Uint8Array.from(
      [EMPTY, ...this.cards].flatMap((top) => this.cards.map((card) => Number(fits(top, card)))),
    );
  }

  /**
   * Hash the tops so that those taking the same cards share a random number. An empty foundation is
   * distinct if runs or the stock's cards only go to empty ones.
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

  /** Return the most foundations of a kind's line. */
  private slotsOf(kind: number): number {
    const card = this.cards[kind]!;
    const tops = [EMPTY, ...Array(PACK_SIZE).keys()];
    const taking = this.ruleset.homes.filter((fits) => tops.some((top) => fits(top, card)));
    return Math.min(taking.length, this.copies[kind]!);
  }

  /** Whether each foundation starts with a fixed rank and has one direction. */
  private hasOrder(): boolean {
    return this.groups.every(
      ({ first, order }) => first !== "any" && (order === "up" || order === "down"),
    );
  }

  /** Whether line and turn identify the kinds. */
  private isOneToOne(): boolean {
    return this.byLine.filter((kind) => kind !== NONE).length === this.kinds;
  }

  /**
   * Whether each foundation takes all cards of one line, in one order, with one foundation for each
   * copy of the starting cards. Rules that fill emptied piles are excluded, because a card may be
   * wanted as the filling. Rows from a recycled stock are excluded too, because a card left in the
   * waste shifts the others to different piles.
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
