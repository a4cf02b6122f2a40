/** The variables of a SAT solver by descending activity; ties are broken by number. */

const FIRST_BUMP = 1 << 10;
const LEAST_BUMP = 1 << 4;
/** Activities stay below this bound. At the bound, all are shifted right by `LOST_BITS`. */
const MAX_ACTIVITY = 1 << 30;
const LOST_BITS = 16;
const OUTSIDE = -1;

export class ActivityHeap {
  private readonly activities: Int32Array;
  private readonly heap: Int32Array;
  /** The index of each variable in the heap, or `OUTSIDE`. */
  private readonly places: Int32Array;
  private size = 0;
  private bump = FIRST_BUMP;

  constructor(variables: number) {
    this.activities = new Int32Array(variables + 1);
    this.heap = new Int32Array(variables);
    this.places = new Int32Array(variables + 1).fill(OUTSIDE);
    for (let variable = 1; variable <= variables; variable++) this.insert(variable);
  }

  /** Insert a variable unless it is present. */
  insert(variable: number): void {
    if (this.places[variable] !== OUTSIDE) return;
    this.rise(this.size++, variable);
  }

  /** Remove and return the first variable; 0 if the heap is empty. */
  pop(): number {
    if (this.size === 0) return 0;
    const first = this.heap[0]!;
    this.places[first] = OUTSIDE;
    this.size -= 1;
    if (this.size > 0) this.sink(0, this.heap[this.size]!);
    return first;
  }

  /** Raise the activity of variables in a conflict; later conflicts weigh more. */
  favour(variables: readonly number[]): void {
    let highest = 0;
    for (const variable of variables) {
      const activity = this.activities[variable]! + this.bump;
      this.activities[variable] = activity;
      highest = Math.max(highest, activity);
      const place = this.places[variable]!;
      if (place !== OUTSIDE) this.rise(place, variable);
    }
    this.bump += this.bump >> 4;
    if (highest + this.bump >= MAX_ACTIVITY) this.scaleDown();
  }

  /** Scale all activities down. This creates ties, so the heap is rebuilt. */
  private scaleDown(): void {
    this.bump = Math.max(this.bump >> LOST_BITS, LEAST_BUMP);
    this.activities.forEach((activity, at) => (this.activities[at] = activity >> LOST_BITS));
    for (let place = (this.size >> 1) - 1; place >= 0; place--) this.sink(place, this.heap[place]!);
  }

  private comesBefore(one: number, two: number): boolean {
    const more = this.activities[one]! - this.activities[two]!;
    return more > 0 || (more === 0 && one < two);
  }

  private put(place: number, variable: number): void {
    this.heap[place] = variable;
    this.places[variable] = place;
  }

  private rise(from: number, variable: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.comesBefore(variable, this.heap[above]!)) break;
      this.put(place, this.heap[above]!);
      place = above;
    }
    this.put(place, variable);
  }

  private sink(from: number, variable: number): void {
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= this.size) break;
      if (below + 1 < this.size && this.comesBefore(this.heap[below + 1]!, this.heap[below]!)) {
        below += 1;
      }
      if (!this.comesBefore(this.heap[below]!, variable)) break;
      this.put(place, this.heap[below]!);
      place = below;
    }
    this.put(place, variable);
  }
}
