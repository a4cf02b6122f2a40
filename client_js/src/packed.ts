/**
 * The protocol's subset of MessagePack (https://msgpack.org): everything except extensions. A
 * complete library would be a twentieth of a first visit's download.
 */

/** The values in frames. An object is a map with string keys. */
export type Packed =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly Packed[]
  | { readonly [key: string]: Packed };

/** Encode a value; undefined becomes null. Throw a `RangeError` if it has no encoding. */
export function pack(value: unknown): Uint8Array {
  const bytes: number[] = [];
  write(value, bytes);
  return Uint8Array.from(bytes);
}

/** Decode the single value in a frame; throw a `RangeError` if the frame is malformed. */
export function unpack(frame: Uint8Array): Packed {
  const reader = new Reader(frame);
  const value = reader.value();
  if (!reader.ended) throw new RangeError("The frame continues after its value.");
  return value;
}

/** The tags of a kind for lengths of 8, 16 and 32 bits (-1 for none), and of its short form. */
interface Kind {
  readonly short: number;
  /** The greatest length that fits in the tag itself. */
  readonly most: number;
  readonly tags: readonly [number, number, number];
}

const TEXT: Kind = { short: 0xa0, most: 31, tags: [0xd9, 0xda, 0xdb] };
const BYTES: Kind = { short: -1, most: -1, tags: [0xc4, 0xc5, 0xc6] };
const LIST: Kind = { short: 0x90, most: 15, tags: [-1, 0xdc, 0xdd] };
const MAP: Kind = { short: 0x80, most: 15, tags: [-1, 0xde, 0xdf] };

function write(value: unknown, bytes: number[]): void {
  if (value === null || value === undefined) bytes.push(0xc0);
  else if (typeof value === "boolean") bytes.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") writeNumber(value, bytes);
  else if (typeof value === "string") {
    const text = new TextEncoder().encode(value);
    writeHead(TEXT, text.length, bytes);
    for (const byte of text) bytes.push(byte);
  } else if (value instanceof Uint8Array) {
    writeHead(BYTES, value.length, bytes);
    for (const byte of value) bytes.push(byte);
  } else if (Array.isArray(value)) {
    writeHead(LIST, value.length, bytes);
    for (const each of value) write(each, bytes);
  } else if (typeof value === "object") {
    const entries = Object.entries(value);
    writeHead(MAP, entries.length, bytes);
    for (const each of entries.flat()) write(each, bytes);
  } else throw new RangeError(`A ${typeof value} has no encoding.`);
}

function writeHead({ short, most, tags }: Kind, length: number, bytes: number[]): void {
  if (length <= most) bytes.push(short | length);
  else if (length < 0x100 && tags[0] > 0) bytes.push(tags[0], length);
  else if (length < 0x10000) bytes.push(tags[1], length >> 8, length & 0xff);
  else bytes.push(tags[2], ...fixed(4, (view) => view.setUint32(0, length)));
}

function writeNumber(value: number, bytes: number[]): void {
  if (!Number.isSafeInteger(value)) bytes.push(0xcb, ...fixed(8, (to) => to.setFloat64(0, value)));
  else if (value >= -0x20 && value < 0x80) bytes.push(value & 0xff);
  else if (value >= 0 && value < 0x100) bytes.push(0xcc, value);
  else if (value >= 0 && value < 0x10000) bytes.push(0xcd, value >> 8, value & 0xff);
  else if (value >= 0 && value < 2 ** 32)
    bytes.push(0xce, ...fixed(4, (to) => to.setUint32(0, value)));
  else if (value >= -(2 ** 31) && value < 0)
    bytes.push(0xd2, ...fixed(4, (to) => to.setInt32(0, value)));
  else bytes.push(0xd3, ...fixed(8, (to) => to.setBigInt64(0, BigInt(value))));
}

/** Return the bytes of a number of a fixed size. */
function fixed(size: number, set: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  set(view);
  return new Uint8Array(view.buffer);
}

/** Reads values from the start of a frame; throws a `RangeError` if it is truncated. */
class Reader {
  readonly #frame: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(frame: Uint8Array) {
    this.#frame = frame;
    this.#view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  }

  get ended(): boolean {
    return this.#at === this.#frame.length;
  }

  value(): Packed {
    const view = this.#view;
    const tag = view.getUint8(this.#skip(1));
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 0x100;
    if (tag < 0x90) return this.#map(tag & 0xf);
    if (tag < 0xa0) return this.#list(tag & 0xf);
    if (tag < 0xc0) return this.#text(tag & 0x1f);
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return tag === 0xc3;
      case 0xca:
        return view.getFloat32(this.#skip(4));
      case 0xcb:
        return view.getFloat64(this.#skip(8));
      case 0xcf:
        return Number(view.getBigUint64(this.#skip(8)));
      case 0xd0:
        return view.getInt8(this.#skip(1));
      case 0xd1:
        return view.getInt16(this.#skip(2));
      case 0xd2:
        return view.getInt32(this.#skip(4));
      case 0xd3:
        return Number(view.getBigInt64(this.#skip(8)));
    }
    if (tag >= 0xc4 && tag <= 0xc6) return this.#bytes(this.#length(tag - 0xc4));
    if (tag >= 0xcc && tag <= 0xce) return this.#length(tag - 0xcc);
    if (tag >= 0xd9 && tag <= 0xdb) return this.#text(this.#length(tag - 0xd9));
    if (tag === 0xdc || tag === 0xdd) return this.#list(this.#length(tag - 0xdb));
    if (tag === 0xde || tag === 0xdf) return this.#map(this.#length(tag - 0xdd));
    throw new RangeError(`The tag ${tag} is unknown.`);
  }

  /** Advance by `size` bytes, and return the offset before them. */
  #skip(size: number): number {
    const at = this.#at;
    this.#at += size;
    return at;
  }

  /** Read an unsigned number of 8, 16 or 32 bits (`width` 0, 1 or 2). */
  #length(width: number): number {
    const at = this.#skip(1 << width);
    if (width === 0) return this.#view.getUint8(at);
    return width === 1 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #bytes(length: number): Uint8Array {
    const at = this.#skip(length);
    if (this.#at > this.#frame.length) throw new RangeError("The frame ends within a value.");
    return this.#frame.slice(at, this.#at);
  }

  #text(length: number): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#bytes(length));
  }

  #list(length: number): Packed[] {
    const list: Packed[] = [];
    while (list.length < length) list.push(this.value());
    return list;
  }

  #map(length: number): Readonly<Record<string, Packed>> {
    const entries: [string, Packed][] = [];
    while (entries.length < length) {
      const key = this.value();
      if (typeof key !== "string") throw new RangeError("A key is not a string.");
      entries.push([key, this.value()]);
    }
    return Object.fromEntries(entries);
  }
}
