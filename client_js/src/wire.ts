/** Encodes commands and decodes events, using the tables of `messages.ts`. */

import {
  COMMANDS,
  EVENTS,
  FIELDS,
  type Field,
  FIRST_NUMBER,
  LAST_NUMBER,
  NEWS,
  PROGRESS,
  type Re,
} from "./messages.ts";
import { pack, unpack } from "./packed.ts";
import type { Command, Event } from "./protocol.ts";

const commands = new Map<string, number>(Object.entries(COMMANDS));
const events = new Map<number, string>();
const structs = new Map<string, readonly Field[]>(Object.entries(FIELDS));

function addEvents(kinds: Readonly<Record<string, number>>): void {
  for (const [name, kind] of Object.entries(kinds)) events.set(kind, name);
}

addEvents(EVENTS);

/** Load the rarely needed tables; until then, their events are ignored, and no command is sent. */
export async function loadLater(): Promise<void> {
  const later = await import("./laterMessages.ts");
  for (const [name, kind] of Object.entries(later.COMMANDS)) commands.set(name, kind);
  addEvents(later.EVENTS);
  for (const [name, fields] of Object.entries(later.FIELDS)) structs.set(name, fields);
}

export function encodeCommand(command: Command): Uint8Array {
  const row = toRow(command.type, command);
  return pack(command.type === "PlayMove" ? row : [commands.get(command.type), command.id, ...row]);
}

/** Return the event in a frame; null for a type unknown to this version, to be ignored. */
export function decodeEvent(frame: Uint8Array): Event | null {
  try {
    const row = unpack(frame);
    return Array.isArray(row) ? eventOf(row) : null;
  } catch {
    return null;
  }
}

function eventOf(row: readonly unknown[]): Event | null {
  const [first, second, ...rest] = row;
  if (typeof first !== "number") return null;
  if (FIRST_NUMBER <= first && first <= LAST_NUMBER) {
    const re = [first, second as number] as const;
    return { type: "Moved", re, ...toObject("Moved", row) } as Event;
  }
  if (first === PROGRESS) return { type: "Progress", re: NEWS, counters: countersIn(row.slice(1)) };
  const type = events.get(first);
  return type === undefined ? null : ({ type, re: second as Re, ...toObject(type, rest) } as Event);
}

type Four = [number, number, number, number];

function countersIn(numbers: readonly unknown[]) {
  const counters = [];
  for (let at = 0; at + 3 < numbers.length; at += 4) {
    const [runner, home, moves, headway] = numbers.slice(at, at + 4) as Four;
    counters.push({ runner, home, moves, headway });
  }
  return counters;
}

/** Encode a struct as an array of its fields in order; of the undefined ones, the last are omitted. */
export function toRow(struct: string, value: object): unknown[] {
  const fields = value as Readonly<Record<string, unknown>>;
  const described = fieldsOf(struct);
  const row = described.map((field) => {
    if (typeof field === "string") return fields[field];
    const inner = fields[field.name];
    if (inner === null || inner === undefined) return inner;
    if (field.struct !== undefined) return toRow(field.struct, inner);
    if (field.list === undefined) return inner;
    return (inner as readonly object[]).map((each) => toRow(field.list ?? "", each));
  });
  // Only trailing fields can be omitted, because a row's fields are identified by position.
  while (row.length > 0 && row.at(-1) === undefined) row.pop();
  return row.map((each, at) => (each === undefined ? omittedOf(described[at]) : each));
}

/** The value sent for an omitted field before one that is present. */
function omittedOf(field: Field | undefined): unknown {
  return (typeof field === "object" ? field.omitted : null) ?? null;
}

/** Decode a struct from an array of its fields; missing ones get the defaults of older servers. */
export function toObject(struct: string, row: readonly unknown[]): object {
  const entries = fieldsOf(struct).map((field, at): [string, unknown] => {
    if (typeof field === "string") return [field, row[at] ?? null];
    if (at >= row.length) return [field.name, field.otherwise ?? null];
    const value = row[at] ?? null;
    if (value === null) return [field.name, null];
    if (field.struct !== undefined) return [field.name, toObject(field.struct, value as unknown[])];
    if (field.list === undefined) return [field.name, value];
    const list = value as readonly (readonly unknown[])[];
    return [field.name, list.map((each) => toObject(field.list ?? "", each))];
  });
  return Object.fromEntries(entries);
}

function fieldsOf(struct: string) {
  const fields = structs.get(struct);
  if (fields === undefined) throw new RangeError(`There is no struct ${struct}.`);
  return fields;
}
