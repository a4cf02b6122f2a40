/**
 * Every message of the protocol, as types in one place; `server/PROTOCOL.md` explains them.
 *
 * A command goes from a client to the server, an event from the server to a client. Times are Unix
 * milliseconds on the server's clock.
 */

import { decode, encode } from "@msgpack/msgpack";

/** The version of the protocol, stated in `hello`. */
export const VERSION = 1;

/** The codes by which the server closes a socket for a reason that a client acts on. */
export const CLOSE = {
  badMessages: 4000,
  replaced: 4001,
  badVersion: 4002,
  tooFast: 4005,
} as const;

/** A player as others see it. `tag` tells players of one name apart and never changes. */
export interface Player {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
}

/** How an attempt stands or ended; `time` is from the start to the last card that came home. */
export interface Result {
  readonly home: number;
  readonly left: number;
  readonly time: number;
  readonly moves: number;
  readonly end: "won" | "stuck" | "resigned" | "time" | null;
}

/** A player's place in a room, and the rounds that this player has won in it. */
export interface Seat {
  readonly player: Player;
  readonly ready: boolean;
  readonly here: boolean;
  readonly wins: number;
}

/** A player in a round. `rank` is null until the round is over. */
export interface Runner {
  readonly player: Player;
  readonly attempt: string;
  readonly result: Result;
  readonly rank: number | null;
}

/** A round. The seed is null until it is over. */
export interface Round {
  readonly number: number;
  readonly deal: string;
  readonly commitment: string;
  readonly starts: number;
  readonly deadline: number;
  readonly over: boolean;
  readonly runners: readonly Runner[];
  readonly seed: string | null;
}

/** A room as a whole; `version` only grows. */
export interface RoomState {
  readonly code: string;
  readonly version: number;
  readonly game: string;
  readonly variant: string;
  readonly seats: number;
  readonly limit: number;
  readonly host: string;
  readonly members: readonly Seat[];
  readonly round: Round | null;
}

/** How far the players of a round have got: those in whom something changed. */
export interface Progress {
  readonly code: string;
  readonly number: number;
  readonly runners: readonly { readonly player: string; readonly result: Result }[];
}

/** An attempt's snapshot. `piles` are by name, two letters a card, `??` for an unseen one. */
export interface Snapshot {
  readonly attempt: string;
  readonly deal: string;
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  readonly room: string | null;
  readonly day: number | null;
  readonly seq: number;
  readonly piles: Readonly<Record<string, string>>;
  readonly redeals: number;
  readonly started: number;
  readonly deadline: number;
  readonly now: number;
  readonly result: Result;
}

/** The move stands as entry `seq`. A change: pile, how many leave its end, which come onto it. */
export interface Moved {
  readonly attempt: string;
  readonly seq: number;
  readonly move: string;
  readonly changes: readonly (readonly [pile: string, take: number, put: string])[];
  readonly redeals: number;
  readonly result: Result;
}

/** What a client has of an attempt: the last entry, and the digest of its view with it. */
export interface Have {
  readonly seq: number;
  readonly digest: number;
}

/**
 * What leads from the entry `since` that the client has to `seq`, the last one: for each entry the
 * move, the changes and the redeals, as in `Moved`. An end without a move is an entry that has none.
 */
export interface Missed {
  readonly attempt: string;
  readonly since: number;
  readonly seq: number;
  readonly moves: readonly (readonly [move: string, changes: Moved["changes"], redeals: number])[];
  readonly now: number;
  readonly result: Result;
}

/** The attempt is over without a move; `seq` is its last entry. */
export interface Ended {
  readonly attempt: string;
  readonly seq: number;
  readonly result: Result;
}

/** A game's deal of the day. `mine` is null until the player has started. */
export interface Daily {
  readonly game: string;
  readonly variant: string;
  readonly deal: string;
  readonly commitment: string;
  readonly mine: Result | null;
}

/** The day's deals. Starting is possible until `ends`, playing until `closes`. */
export interface Dailies {
  readonly day: number;
  readonly date: string;
  readonly ends: number;
  readonly closes: number;
  readonly now: number;
  readonly games: readonly Daily[];
}

/** A row of a leaderboard. Rows with equal results share a rank. */
export interface Entry {
  readonly rank: number;
  readonly player: Player;
  readonly left: number;
  readonly time: number;
  readonly moves: number;
}

/** A day's leaderboard: its first rows, and the player's own with its neighbours. */
export interface Leaderboard {
  readonly game: string;
  readonly day: number;
  readonly size: number;
  readonly top: readonly Entry[];
  readonly around: readonly Entry[];
}

/** A deal. The seed is null while anyone may still be playing it. */
export interface Deal {
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  readonly commitment: string;
  readonly seed: string | null;
}

/** The fields of each event, by its type. */
interface EventFields {
  welcome: { readonly player: Player; readonly token: string; readonly now: number };
  done: object;
  refused: { readonly code: string; readonly text: string };
  pong: { readonly now: number };
  room: RoomState;
  progress: Progress;
  attempt: Snapshot;
  moved: Moved;
  missed: Missed;
  ended: Ended;
  dailies: Dailies;
  leaderboard: Leaderboard;
  deal: Deal;
  bye: { readonly code: string; readonly text: string };
}

export type EventType = keyof EventFields;

/** An event of one type. `re` is the id of the command that it answers. */
export type EventOf<T extends EventType> = EventFields[T] & {
  readonly type: T;
  readonly re?: number;
};

export type Event = { [T in EventType]: EventOf<T> }[EventType];
export type DealEvent = EventOf<"deal">;

/** The fields of each command, by its type, but for its `id`. */
export interface CommandFields {
  hello: { version: number; token?: string | null; name?: string | null };
  rename: { name: string };
  ping: object;
  "room.create": { game: string; variant?: string; seats: number; limit: number; key: string };
  "room.join": { code: string };
  "room.leave": { code: string };
  "room.ready": { code: string; ready: boolean };
  "room.start": { code: string };
  "attempt.open": { attempt: string; have?: Have };
  move: { attempt: string; seq: number; move: string };
  resign: { attempt: string; seq: number };
  "daily.list": object;
  "daily.open": { game: string };
  "leaderboard.watch": { game: string; day?: number | null };
  "leaderboard.unwatch": object;
  "deal.show": { deal: string };
}

export type CommandType = keyof CommandFields;

/** A command of one type. Ids ascend within a session. */
export type CommandOf<T extends CommandType> = CommandFields[T] & {
  readonly type: T;
  readonly id: number;
};

export type Command = { [T in CommandType]: CommandOf<T> }[CommandType];

/** The event that answers each command, when it is not refused. */
export interface Answers {
  hello: EventOf<"welcome">;
  rename: EventOf<"done">;
  ping: EventOf<"pong">;
  "room.create": EventOf<"room">;
  "room.join": EventOf<"room">;
  "room.leave": EventOf<"done">;
  "room.ready": EventOf<"room">;
  "room.start": EventOf<"room">;
  "attempt.open": EventOf<"attempt"> | EventOf<"missed">;
  move: EventOf<"moved"> | EventOf<"attempt">;
  resign: EventOf<"ended"> | EventOf<"attempt">;
  "daily.list": EventOf<"dailies">;
  "daily.open": EventOf<"attempt">;
  "leaderboard.watch": EventOf<"leaderboard">;
  "leaderboard.unwatch": EventOf<"done">;
  "deal.show": EventOf<"deal">;
}

const EVENT_TYPES: Readonly<Record<EventType, true>> = {
  welcome: true,
  done: true,
  refused: true,
  pong: true,
  room: true,
  progress: true,
  attempt: true,
  moved: true,
  missed: true,
  ended: true,
  dailies: true,
  leaderboard: true,
  deal: true,
  bye: true,
};

/** The frame of a command. */
export function encodeCommand(command: Command): Uint8Array {
  return encode(command);
}

/** The event in a frame, or null for one that this version does not know, which is to be ignored. */
export function decodeEvent(frame: Uint8Array): Event | null {
  let message: unknown;
  try {
    message = decode(frame);
  } catch {
    return null;
  }
  if (typeof message !== "object" || message === null || !("type" in message)) return null;
  const { type } = message;
  return typeof type === "string" && Object.hasOwn(EVENT_TYPES, type) ? (message as Event) : null;
}
