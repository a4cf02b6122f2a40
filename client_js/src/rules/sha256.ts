/**
 * SHA-256, and bytes as texts. Browsers restrict Web Crypto to pages served over HTTPS, and no
 * library is as small. Each deal only hashes a few blocks, so speed does not matter.
 */

/** The initial state and round constants: fractional bits of roots of the first primes. */
const [STATE, ROUNDS] = ((): [readonly number[], readonly number[]] => {
  const bits = (root: number) => ((root % 1) * 2 ** 32) | 0;
  const primes: number[] = [];
  for (let each = 2; primes.length < 64; each++) {
    if (primes.every((prime) => each % prime !== 0)) primes.push(each);
  }
  return [primes.slice(0, 8).map(Math.sqrt).map(bits), primes.map(Math.cbrt).map(bits)];
})();

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) * 64));
  bytes.forEach((byte, at) => blocks.setUint8(at, byte));
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  let state = STATE;
  for (let from = 0; from < blocks.byteLength; from += 64) state = digested(state, blocks, from);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, at) => digest.setInt32(4 * at, word));
  return new Uint8Array(digest.buffer);
}

export function utf8ToBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function bytesToHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Parse pairs of hexadecimal digits into bytes. */
export function hexToBytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Return the state after one more block, at offset `from`. */
function digested(state: readonly number[], blocks: DataView, from: number): number[] {
  const words: number[] = [];
  let now = state;
  for (const [at, constant] of ROUNDS.entries()) {
    const word = at < 16 ? blocks.getInt32(from + 4 * at) : extended(words, at);
    words.push(word);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = now;
    const chosen = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
    const one = h + chosen + constant + word;
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    now = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return now.map((word, at) => (word + (state[at] ?? 0)) | 0);
}

function extended(words: readonly number[], at: number): number {
  const [a = 0, b = 0] = [words[at - 15], words[at - 2]];
  const small = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
  const large = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
  return ((words[at - 16] ?? 0) + (words[at - 7] ?? 0) + small + large) | 0;
}
