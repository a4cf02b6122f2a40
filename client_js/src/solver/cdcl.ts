/**
 * A SAT solver: conflict-driven clause learning.
 *
 * The engine uses a different solver, which finds the same verdicts. The method follows MiniSat
 * (Eén and Sörensson, 2003): two watched literals per clause, clauses learnt at the first unique
 * implication point and minimised, activities that favour the variables of recent conflicts, phase
 * saving, and Luby restarts. The learnt clauses that span the most decision levels (Audemard and
 * Simon, 2009) are periodically dropped. Binary clauses are kept separately, as lists of
 * implications per literal. Decisions use integers only, and every tie is broken by number, so that
 * the result is reproducible.
 *
 * Inside the solver, the literal of variable v is 2v, and its negation 2v + 1. A clause is the
 * index in `cells` of its length, which its literals follow.
 */

import { ActivityHeap } from "./activityHeap.ts";

/** Conflicts before a restart, per unit of Luby's sequence. */
const RESTART = 64;
/** The initial number of kept learnt clauses, and its growth each time some are dropped. */
const MOST_LEARNT = 2_000;
const MORE_LEARNT = 500;
/** Learnt clauses that span at most this many decision levels are never dropped. */
const FEW_LEVELS = 2;
/** The reason of decisions and given facts. */
const NONE = -1;

export interface Answer {
  /** Null if it ran out of conflicts. */
  readonly satisfiable: boolean | null;
  /** If satisfiable, 1 for each true variable, by number; variable 0 is unused. */
  readonly model: Uint8Array;
  readonly conflicts: number;
}

/**
 * Decide whether some assignment of the variables, numbered from 1, satisfies every clause. A
 * clause consists of literals v or -v, without duplicates or contradictions. Gives up after
 * `conflicts` conflicts.
 */
export function solve(
  variables: number,
  clauses: readonly (readonly number[])[],
  conflicts: number,
): Answer {
  return new Search(variables, clauses).run(conflicts);
}

/** Return an element of the sequence 1 1 2 1 1 2 4 1 1 2 ..., counting from 1. */
function luby(nth: number): number {
  let at = nth;
  while ((at & (at + 1)) !== 0) at -= (1 << (31 - Math.clz32(at))) - 1;
  return (at + 1) >> 1;
}

class Search {
  /** For each literal: 1 true, -1 false, 0 open. */
  private readonly values: Int8Array;
  /** For each literal, the binary clauses it makes unit: implied literal, clause. */
  private readonly implies: number[][];
  /** For each literal, the longer clauses watching it; clauses watch their first two literals. */
  private watches: number[][];
  /** The true literals in order of assignment. */
  private readonly trail: Int32Array;
  private assigned = 0;
  private propagated = 0;
  /** The start of each decision level on the trail, from level 1 on. */
  private readonly starts: number[] = [];
  private readonly levels: Int32Array;
  /** For each variable, the clause that implied it; `NONE` for a decision. */
  private readonly reasons: Int32Array;
  private readonly phases: Uint8Array;
  private readonly seen: Uint8Array;
  private readonly heap: ActivityHeap;
  private learnt: { spans: number; clause: number }[] = [];
  private cells = new Int32Array(1 << 17);
  private used = 0;
  private consistent = true;

  constructor(variables: number, clauses: readonly (readonly number[])[]) {
    const literals = 2 * variables + 2;
    this.values = new Int8Array(literals);
    this.implies = Array.from({ length: literals }, () => []);
    this.watches = Array.from({ length: literals }, () => []);
    this.trail = new Int32Array(variables);
    this.levels = new Int32Array(variables + 1);
    this.reasons = new Int32Array(variables + 1).fill(NONE);
    this.phases = new Uint8Array(variables + 1).fill(1);
    this.seen = new Uint8Array(variables + 1);
    this.heap = new ActivityHeap(variables);
    for (const clause of clauses) this.add(clause.map((x) => (x > 0 ? 2 * x : -2 * x + 1)));
  }

  /** Search until there is an answer or the limit of conflicts is reached. */
  run(conflicts: number): Answer {
    let found = 0;
    let restarts = 1;
    let left = RESTART;
    let mostLearnt = MOST_LEARNT;
    const none = new Uint8Array();
    while (this.consistent) {
      const conflict = this.propagate();
      if (conflict !== NONE) {
        found += 1;
        left -= 1;
        if (this.starts.length === 0) break;
        if (found >= conflicts) return { satisfiable: null, model: none, conflicts: found };
        this.learn(conflict);
      } else if (left <= 0) {
        restarts += 1;
        left = RESTART * luby(restarts);
        this.goBack(0);
        if (this.learnt.length > mostLearnt) {
          mostLearnt += MORE_LEARNT;
          this.forget();
        }
      } else if (!this.decide()) {
        const model = Uint8Array.from(this.phases, (_, variable) =>
          this.values[2 * variable]! > 0 ? 1 : 0,
        );
        return { satisfiable: true, model, conflicts: found };
      }
    }
    return { satisfiable: false, model: none, conflicts: found };
  }

  private add(clause: readonly number[]): void {
    const first = clause[0];
    if (clause.length > 1) this.watch(this.store(clause));
    else if (first === undefined || this.values[first]! < 0) this.consistent = false;
    else if (this.values[first] === 0) this.assign(first, NONE);
  }

  /** Copy a clause to `cells`, and return its index there. */
  private store(clause: readonly number[]): number {
    const index = this.used;
    this.used += clause.length + 1;
    if (this.used > this.cells.length) {
      const larger = new Int32Array(2 * this.used);
      larger.set(this.cells);
      this.cells = larger;
    }
    this.cells[index] = clause.length;
    this.cells.set(clause, index + 1);
    return index;
  }

  /** Watch the first two of a clause's literals: it is visited when one is false. */
  private watch(clause: number): void {
    const first = this.cells[clause + 1]!;
    const second = this.cells[clause + 2]!;
    if (this.cells[clause]! > 2) {
      this.watches[first]!.push(clause);
      this.watches[second]!.push(clause);
    } else {
      this.implies[first ^ 1]!.push(second, clause);
      this.implies[second ^ 1]!.push(first, clause);
    }
  }

  /** Make an open literal true at the present level. */
  private assign(literal: number, reason: number): void {
    this.values[literal] = 1;
    this.values[literal ^ 1] = -1;
    this.levels[literal >> 1] = this.starts.length;
    this.reasons[literal >> 1] = reason;
    this.trail[this.assigned++] = literal;
  }

  /** Propagate assignments; return a clause that became false, or `NONE`. */
  private propagate(): number {
    const { values, trail } = this;
    while (this.propagated < this.assigned) {
      const literal = trail[this.propagated++]!;
      const implied = this.implies[literal]!;
      for (let at = 0; at < implied.length; at += 2) {
        const value = values[implied[at]!]!;
        if (value < 0) return implied[at + 1]!;
        if (value === 0) this.assign(implied[at]!, implied[at + 1]!);
      }
      const conflict = this.visit(literal ^ 1);
      if (conflict !== NONE) return conflict;
    }
    return NONE;
  }

  /** Make the clauses watching a newly false literal watch another one, or imply one. */
  private visit(falseLiteral: number): number {
    const { values, cells } = this;
    const watching = this.watches[falseLiteral]!;
    let kept = 0;
    for (let nth = 0; nth < watching.length; nth++) {
      const clause = watching[nth]!;
      let first = cells[clause + 1]!;
      if (first === falseLiteral) {
        first = cells[clause + 2]!;
        cells[clause + 1] = first;
        cells[clause + 2] = falseLiteral;
      }
      const value = values[first]!;
      if (value <= 0) {
        if (this.watchesAnother(clause, falseLiteral)) continue;
        if (value < 0) {
          watching.splice(kept, nth - kept);
          return clause;
        }
        this.assign(first, clause);
      }
      watching[kept++] = clause;
    }
    watching.length = kept;
    return NONE;
  }

  /** Make a clause watch a non-false literal instead of its second, if there is one. */
  private watchesAnother(clause: number, falseLiteral: number): boolean {
    const { values, cells } = this;
    const end = clause + cells[clause]!;
    for (let place = clause + 3; place <= end; place++) {
      const other = cells[place]!;
      if (values[other]! >= 0) {
        cells[clause + 2] = other;
        cells[place] = falseLiteral;
        this.watches[other]!.push(clause);
        return true;
      }
    }
    return false;
  }

  /** Learn a clause from a conflict, backtrack to where it is unit, and apply it. */
  private learn(conflict: number): void {
    const { levels, seen, cells, trail } = this;
    const present = this.starts.length;
    const variables: number[] = [];
    let below: number[] = [];
    let unresolved = 0;
    let at = this.assigned;
    for (let clause = conflict; ; clause = this.reasons[trail[at]! >> 1]!) {
      const end = clause + cells[clause]!;
      for (let place = clause + 1; place <= end; place++) {
        const literal = cells[place]!;
        const variable = literal >> 1;
        if (seen[variable] === 1 || levels[variable] === 0) continue;
        seen[variable] = 1;
        variables.push(variable);
        if (levels[variable] === present) unresolved += 1;
        else below.push(literal);
      }
      do at -= 1;
      while (seen[trail[at]! >> 1] === 0);
      unresolved -= 1;
      if (unresolved === 0) break;
    }
    this.heap.favour(variables);
    below = below.filter((literal) => !this.follows(literal));
    for (const variable of variables) seen[variable] = 0;
    // Watch the literal of the highest level: it is the last to remain false when backtracking.
    below.sort((one, two) => levels[two >> 1]! - levels[one >> 1]! || one - two);
    const learnt = [trail[at]! ^ 1, ...below];
    const highest = below[0];
    const spans = 1 + new Set(below.map((literal) => levels[literal >> 1])).size;
    this.goBack(highest === undefined ? 0 : levels[highest >> 1]!);
    const reason = highest === undefined ? NONE : this.store(learnt);
    if (reason !== NONE) {
      this.watch(reason);
      this.learnt.push({ spans, clause: reason });
    }
    this.assign(learnt[0]!, reason);
  }

  /** Whether a false literal was implied only by seen variables. */
  private follows(literal: number): boolean {
    const reason = this.reasons[literal >> 1]!;
    if (reason === NONE) return false;
    const end = reason + this.cells[reason]!;
    for (let place = reason + 1; place <= end; place++) {
      const variable = this.cells[place]! >> 1;
      if (this.seen[variable] === 0 && this.levels[variable] !== 0) return false;
    }
    return true;
  }

  /** Undo all assignments above a decision level. */
  private goBack(level: number): void {
    const start = this.starts[level];
    if (start === undefined) return;
    for (let at = start; at < this.assigned; at++) {
      const literal = this.trail[at]!;
      this.values[literal] = 0;
      this.values[literal ^ 1] = 0;
      this.phases[literal >> 1] = literal & 1;
      this.heap.insert(literal >> 1);
    }
    this.assigned = start;
    this.propagated = start;
    this.starts.length = level;
  }

  /** Open a decision level with the most active open variable; return whether there was one. */
  private decide(): boolean {
    for (let variable = this.heap.pop(); variable > 0; variable = this.heap.pop()) {
      if (this.values[2 * variable] !== 0) continue;
      this.starts.push(this.assigned);
      this.assign(2 * variable + this.phases[variable]!, NONE);
      return true;
    }
    return false;
  }

  /** Drop the worse half of the learnt clauses: those of many levels, and the oldest of those. */
  private forget(): void {
    const ranked = this.learnt
      .map(({ spans }, nth) => ({ spans, nth }))
      .sort((one, two) => two.spans - one.spans || one.nth - two.nth);
    const drop = new Set<number>();
    for (const { spans, nth } of ranked.slice(0, ranked.length >> 1)) {
      const { clause } = this.learnt[nth]!;
      if (spans > FEW_LEVELS && this.cells[clause]! > 2) drop.add(clause);
    }
    this.learnt = this.learnt.filter(({ clause }) => !drop.has(clause));
    this.watches = this.watches.map((watching) => watching.filter((clause) => !drop.has(clause)));
  }
}
