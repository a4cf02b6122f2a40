/** The moves that led to positions, as a tree: each node adds one move to its parent. */

/** The node of the initial position. */
export const ROOT = 0;

export class MoveTree {
  size = 1;
  readonly capacity: number;
  private readonly parents: Int32Array;
  private readonly moves: Int32Array;
  private readonly marks: Int32Array;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.parents = new Int32Array(capacity);
    this.moves = new Int32Array(capacity);
    this.marks = new Int32Array(capacity);
  }

  clear(): void {
    this.size = 1;
  }

  add(parent: number, move: number): number {
    this.parents[this.size] = parent;
    this.moves[this.size] = move;
    return this.size++;
  }

  /** Return the moves that lead to a node, the first one first. */
  lineTo(node: number): number[] {
    const line = [];
    for (let at = node; at !== ROOT; at = this.parents[at]!) line.push(this.moves[at]!);
    return line.reverse();
  }

  /** Keep only these nodes and their ancestors, and write the nodes' new numbers to the array. */
  keepOnly(nodes: Int32Array): void {
    const { parents, moves, marks, size } = this;
    marks.fill(0, 0, size);
    for (const node of nodes) marks[node] = 1;
    for (let node = size - 1; node > ROOT; node--) {
      if (marks[node] === 1) marks[parents[node]!] = 1;
    }
    marks[ROOT] = ROOT;
    this.size = 1;
    for (let node = 1; node < size; node++) {
      if (marks[node] === 1) marks[node] = this.add(marks[parents[node]!]!, moves[node]!);
    }
    nodes.forEach((node, at) => (nodes[at] = marks[node]!));
  }
}
