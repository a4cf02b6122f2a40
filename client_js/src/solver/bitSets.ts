/**
 * Bit sets of equal length in one array of words. A set is identified by the index of its first
 * word.
 */
export class BitSets {
  /** The number of words per set. */
  readonly width: number;
  #words: Uint32Array;
  #used = 0;

  constructor(bits: number) {
    this.width = Math.ceil(bits / 32);
    this.#words = new Uint32Array(this.width * 256);
  }

  clear(): void {
    this.#used = 0;
  }

  /** Add an empty set, and return its index. */
  add(): number {
    const at = this.#used;
    this.#used += this.width;
    if (this.#used > this.#words.length) {
      const words = new Uint32Array(2 * this.#words.length);
      words.set(this.#words);
      this.#words = words;
    }
    this.#words.fill(0, at, this.#used);
    return at;
  }

  addBit(set: number, bit: number): void {
    const at = set + (bit >>> 5);
    this.#words[at] = (this.#words[at] as number) | (1 << (bit & 31));
  }

  /** Add all bits of `from` to `set`. */
  addAll(set: number, from: number): void {
    const words = this.#words;
    for (let at = 0; at < this.width; at++) {
      words[set + at] = (words[set + at] as number) | (words[from + at] as number);
    }
  }

  /** Add the bits of `from`, a set of `others`, to a set, each shifted up by `shift`. */
  addShifted(set: number, others: BitSets, from: number, shift: number): void {
    others.forEach(from, 0, 32 * others.width, (bit) => {
      this.addBit(set, shift + bit);
    });
  }

  /** Call `visit` for the bits from `first` on, at most `count` positions, relative to `first`. */
  forEach(set: number, first: number, count: number, visit: (bit: number) => void): void {
    const end = Math.min(first + count, 32 * this.width);
    for (let start = first & ~31; start < end; start += 32) {
      let word = this.#words[set + (start >>> 5)] as number;
      if (start < first) word &= -1 << (first - start);
      if (end - start < 32) word &= (1 << (end - start)) - 1;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word);
        word ^= 1 << bit;
        visit(start + bit - first);
      }
    }
  }
}
