/**
 * Beam plans: weights derived from a ruleset's properties, varied at each restart. This is the twin
 * of `engine/solver/beam/plans.py`.
 */

import type { Ruleset } from "../../rules/ruleset.ts";
import type { Random } from "../random.ts";

/** The fixed-point representation of 1 in weights, points and shares. */
export const SCALE = 1024;

/** The names of the weights, in the order of their variation. */
const NAMES = [
  ...(["home", "runHome", "space", "joined", "broken", "hidden", "late", "lateLine"] as const),
  ...(["lateness", "lateJoined", "orphanBase", "orphanBuried", "base", "wasteLate"] as const),
  ...(["wasteLine", "wasteLateness", "wasteCard", "firstCopy", "turn", "time"] as const),
  ...(["mixed", "long"] as const),
] as const;

/** Weights varied only where they are not 0. */
const RARE: ReadonlySet<string> = new Set(["mixed", "long"]);
/** Weights never varied. */
const FIXED: ReadonlySet<string> = new Set(["home", "time"]);

/** The weights of the evaluation, in points. */
export type Weights = Readonly<Record<(typeof NAMES)[number], number>>;

export const NO_WEIGHTS = Object.fromEntries(NAMES.map((name) => [name, 0])) as Weights;

/** When cards go home automatically; see `mayGoHome`. */
export type WayHome = "never" | "safely" | "later" | "early";

export interface Plan {
  readonly weights: Weights;
  /** The number of positions kept after a deal. */
  readonly width: number;
  /** The number of expansions between two deals per kept position, times SCALE. */
  readonly effort: number;
  /** The same after the last deal. */
  readonly last: number;
  /** The number of positions to deal from, per kept one. */
  readonly dealt: number;
  /** The most kept positions with the same signature. */
  readonly cap: number;
  readonly wayHome: WayHome;
  /** Whether only sound prunings are used. */
  readonly whole: boolean;
  /** Whether runs moved via empty piles are moved card by card. */
  readonly single: boolean;
  /** The delay of each kind's computed need, in points. */
  readonly delays: readonly number[];
}

/** A sequence of growing beams. */
interface Track {
  /** The first beam's width. */
  readonly width: number;
  /** The growth of each further beam, in thousandths. */
  readonly growth: number;
  /** The largest share of the width, times SCALE, for positions with the same signature. */
  readonly cap: number;
  /** The number of expansions between two deals per kept position, times SCALE. */
  readonly effort: number;
  /** Whether runs moved via empty piles are moved card by card. */
  readonly single: boolean;
}

/** The beams for one kind of game. */
interface Style {
  readonly weights: Weights;
  /** The widths of the first beams. */
  readonly widths: readonly number[];
  /**
   * The later beams alternate between these tracks, all but each track's first with varied weights:
   * another narrow beam or a wide one may find what one narrow beam missed.
   */
  readonly tracks: readonly [Track, ...Track[]];
  /** The factor by which more positions are expanded after the last deal. */
  readonly last: number;
  readonly dealt: number;
  /** Whether effort, the first copy's share and the way home are varied too. */
  readonly varied: boolean;
  /** The range, in points, of random shifts of a kind's need: its copies' order is unknown. */
  readonly delay: number;
}

/** round(SCALE * exp(z / 2)) for 64 quantiles z of the normal distribution. */
// prettier-ignore
export const LOG_NORMAL = [
  306, 379, 424, 460, 490, 517, 542, 565, 587, 608, 628, 648, 667, 685, 704, 722,
  740, 758, 775, 793, 811, 829, 846, 864, 882, 900, 919, 937, 956, 975, 994, 1014,
  1034, 1055, 1075, 1097, 1119, 1141, 1165, 1189, 1213, 1239, 1266, 1293, 1322, 1352, 1384, 1417,
  1453, 1490, 1530, 1573, 1619, 1670, 1725, 1787, 1856, 1935, 2028, 2139, 2280, 2471, 2766, 3430,
];

/** round(SCALE * exp(x)) for 16 numbers x from -0.7 to 0.7. */
const EFFORTS = [
  ...[531, 580, 633, 691, 754, 823, 898, 980, 1070, 1168, 1274, 1391, 1518, 1657, 1808, 1974],
];

/** Drawn for each beam, because the heuristics lose some wins. */
const WAYS_HOME: readonly WayHome[] = ["later", "early", "early", "safely"];

/** The most kinds that a ruleset distinguishes. */
const MOST_KINDS = 52;

const NO_DELAYS: readonly number[] = Array.from({ length: MOST_KINDS }, () => 0);

/** The width of an exhaustive search. */
const UNLIMITED = 1 << 17;

const ROWS: Style = {
  weights: {
    ...NO_WEIGHTS,
    home: 1024,
    runHome: 20 * 1024,
    space: 4 * 1024,
    joined: 1024,
    broken: 2048,
    hidden: 3072,
    late: 512,
    lateLine: 512,
    orphanBase: 3072,
    orphanBuried: 1024,
    turn: 1024,
  },
  widths: [10, 30],
  tracks: [
    { width: 100, growth: 1040, cap: 51, effort: 8 * 1024, single: false },
    { width: 250, growth: 1100, cap: 102, effort: 8 * 1024, single: false },
  ],
  last: 3,
  dealt: 4,
  varied: false,
  delay: 0,
};

const WASTE: Style = {
  weights: {
    ...NO_WEIGHTS,
    home: 1024,
    space: 2974,
    joined: 427,
    broken: 76,
    late: 919,
    lateLine: 919,
    lateness: 32,
    lateJoined: 89,
    base: 31,
    wasteLate: 7205,
    wasteLine: 7205,
    wasteLateness: 32,
    wasteCard: 233,
    firstCopy: 265,
    turn: 1065,
    time: 1024,
  },
  widths: [10, 30, 100],
  tracks: [
    { width: 200, growth: 1040, cap: 0, effort: 16 * 1024, single: false },
    { width: 200, growth: 1040, cap: 0, effort: 12 * 1024, single: true },
  ],
  last: 4,
  dealt: 3,
  varied: true,
  delay: 3 * 1024,
};

/** For games such as Spider, where only some building sequences move together. */
const SUITS: Style = {
  ...ROWS,
  weights: {
    ...ROWS.weights,
    runHome: 40 * 1024,
    space: 1024,
    joined: 1024,
    long: 240,
    mixed: 1640,
    broken: 512,
    hidden: 1640,
    orphanBase: 0,
    orphanBuried: 400,
  },
  tracks: [
    { width: 60, growth: 1030, cap: 51, effort: 16 * 1024, single: false },
    { width: 150, growth: 1060, cap: 102, effort: 16 * 1024, single: false },
  ],
};

function styleOf(ruleset: Ruleset): Style {
  if (ruleset.waste !== null) return WASTE;
  const { match, run_match } = ruleset.rules.tableau ?? {};
  return (run_match ?? match) === match ? ROWS : SUITS;
}

/** Yield the plans of a ruleset's beams, endlessly. */
export function* plansOf(ruleset: Ruleset, regular: boolean, random: Random): Generator<Plan> {
  const style = styleOf(ruleset);
  for (let number = 0; ; number++) yield planOf(style, number, regular, random);
}

/** Return the plan of a narrow beam, which wins fewer boards, but more per unit of time. */
export function narrowPlan(ruleset: Ruleset, regular: boolean): Plan {
  const style = styleOf(ruleset);
  const effort = 8 * SCALE;
  const plan = planOf(style, 0, regular, () => 0);
  return { ...plan, width: 2, effort, last: style.last * effort };
}

function planOf(style: Style, number: number, regular: boolean, random: Random): Plan {
  const { tracks } = style;
  const later = number - style.widths.length;
  const track = tracks[Math.max(later, 0) % tracks.length] ?? tracks[0];
  const width = style.widths[number] ?? widthOf(track, Math.floor(later / tracks.length));
  let { weights } = style;
  let { effort } = track;
  let wayHome: WayHome = "early";
  let delays = NO_DELAYS;
  if (later >= tracks.length) {
    weights = varied(weights, random);
    if (style.varied) {
      weights = { ...weights, firstCopy: 102 + (random() % 615) };
      effort = scaled(effort, EFFORTS[(random() >> 8) & 15]!);
      wayHome = WAYS_HOME[(random() >> 8) & 3]!;
    }
    if (style.delay > 0) delays = NO_DELAYS.map(() => delayOf(style, random));
  }
  return {
    ...{ weights, width, effort },
    last: effort * style.last,
    dealt: style.dealt,
    // Each signature gets at least one.
    cap: Math.max(1, scaled(width, track.cap)),
    wayHome: regular ? wayHome : "never",
    whole: false,
    single: later >= 0 && track.single,
    delays,
  };
}

function delayOf({ delay }: Style, random: Random): number {
  return scaled(delay, (random() % (2 * SCALE + 1)) - SCALE);
}

/** Return the width of a track's beam, counting from 0. */
function widthOf({ width, growth }: Track, number: number): number {
  let grown = width;
  for (let nth = 0; nth < number; nth++) grown = Math.floor((grown * growth) / 1000);
  return grown;
}

/** Return the weights times random factors around 1, except the fixed ones. */
function varied(weights: Weights, random: Random): Weights {
  const factors = NAMES.map((name) => {
    if (FIXED.has(name) || (RARE.has(name) && weights[name] === 0)) return [name, weights[name]];
    return [name, scaled(weights[name], LOG_NORMAL[(random() >> 8) & 63]!)];
  });
  return Object.fromEntries(factors) as Weights;
}

/** Return a whole number times a fixed-point factor, rounded down. */
export function scaled(number: number, factor: number): number {
  return Math.floor((number * factor) / SCALE);
}

/** Return the plan of an exhaustive search, which drops nothing unless memory is too small. */
export function wholePlan(weights: Weights, regular: boolean): Plan {
  const effort = UNLIMITED * SCALE;
  return {
    ...{ weights, width: UNLIMITED, effort, last: effort, dealt: UNLIMITED, cap: UNLIMITED },
    wayHome: regular ? "safely" : "never",
    whole: true,
    single: false,
    delays: NO_DELAYS,
  };
}
