/**
 * Every message of the protocol, as types and tables; `server/PROTOCOL.md` explains them.
 *
 * Printed by `python -m server.gateway.typescript` from `server/gateway/messages.py`: change that.
 */

/**
 * The version of the protocol that clients of this release state in `hello`: one that servers of
 * the last release speak too.
 */
export const VERSION = 2;

/** The least number of an attempt; smaller ones at the start of a message are its kind. */
export const FIRST_NUMBER = 32;

/** Attempts that a session has numbers for; the oldest is forgotten for one more. */
export const MOST_NUMBERS = 64;

/** The `re` of an event that nobody asked for. */
export const NEWS = 0;

/**
 * The kind of progress, `[PROGRESS, runner, home, moves, ...]`: three numbers for each runner who
 * got further, the first of them its place among the `runners` of the room that was sent last. Like
 * the messages of a move it has no `re`: it is always news.
 */
export const PROGRESS = 6;

/** What an event answers: a command's `id`, a move's `(number, seq)`, or `NEWS`. */
export type Re = number | readonly [number, number];

/** The first command of every session. Without a token a new guest is made. */
export interface Hello {
  readonly version: number;
  readonly token?: string | null;
  readonly name?: string | null;
}

/** Change the player's name. */
export interface Rename {
  readonly name: string;
}

/** Open a race room and take its first seat. `key` makes a repeated creation the same room. */
export interface CreateRoom {
  readonly game: string;
  readonly seats: number;
  readonly limit: number;
  readonly key: string;
  readonly variant?: string;
}

/** Take a seat, or come back to the one that the player has, and be told of the room. */
export interface JoinRoom {
  readonly code: string;
}

/** Give the seat up; a run that is under way is resigned. */
export interface LeaveRoom {
  readonly code: string;
}

/** Say whether the player will be in the next round. */
export interface SetReady {
  readonly code: string;
  readonly ready: boolean;
}

/** Start a round with every seat that is ready; the host's always is. */
export interface StartRound {
  readonly code: string;
}

/** What a client has of an attempt: the last entry, and the digest of its view with it. */
export interface Have {
  readonly seq: number;
  readonly digest: number;
}

/**
 * Ask for an attempt's snapshot, or for what was missed since the entry that the client has.
 *
 * The session is told of what happens to the attempt from then on.
 */
export interface OpenAttempt {
  readonly attempt: string;
  readonly have?: Have | null;
}

/** End the attempt as it stands; `seq` is as in a move. */
export interface Resign {
  readonly number: number;
  readonly seq: number;
}

/** Ask for the day's deals. */
export type ListDailies = object;

/** Start the player's one ranked attempt at today's deal of a game, or come back to it. */
export interface OpenDaily {
  readonly game: string;
}

/** Ask for a day's leaderboard and for every change of it. Replaces what was watched. */
export interface WatchLeaderboard {
  readonly game: string;
  readonly day?: number | null;
}

/** Stop watching. */
export type UnwatchLeaderboard = object;

/** Ask for a deal's commitment, and its seed once it is closed. */
export interface ShowDeal {
  readonly deal: string;
}

/** Ask for the time. */
export type Ping = object;

/** Play a move, `[number, seq, source, target, count?]`. */
export interface PlayMove {
  /** What the session knows the attempt by. */
  readonly number: number;
  /** One more than that of the last entry known to the client. */
  readonly seq: number;
  /** The pile that cards are taken from. */
  readonly source: number;
  /** The pile that they are put on; one more than the last pile deals a row. */
  readonly target: number;
  /** How many cards. */
  readonly count?: number;
}

/** How an attempt stands or ended. */
export interface Result {
  /** Cards on foundations. */
  readonly home: number;
  /** Cards not there yet. */
  readonly left: number;
  /** Milliseconds from the start to the last card that came home. */
  readonly time: number;
  /** Moves played. */
  readonly moves: number;
  /** Why the attempt ended, or null while it goes on. */
  readonly end: "resigned" | "stuck" | "time" | "won" | null;
}

/** A player as others see it. `tag` tells players of one name apart and never changes. */
export interface Player {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
}

/** The session is open. The token proves who the player is; it is to be kept secret. */
export interface Welcome {
  readonly player: Player;
  readonly token: string;
  readonly now: number;
}

/** The command was carried out, and there is no more to say. */
export type Done = object;

/** The command was not carried out, or the message was none (then `re` may be 0). */
export interface Refused {
  /** One of the codes of `server/core/refusal.py`. */
  readonly code: string;
  /** One sentence for people. */
  readonly text: string;
  /** Milliseconds after which it is worth another try, or 0 if that is up to the client. */
  readonly wait: number;
}

/** The time. */
export interface Pong {
  readonly now: number;
}

/** A player's place in the room, and the rounds that this player has won in it. */
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

/** A room as a whole, sent whenever it changes. `version` only grows. */
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

/** An attempt's snapshot. */
export interface Attempt {
  /** What the session knows it by from now on. */
  readonly number: number;
  readonly attempt: string;
  readonly deal: string;
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  /** The code of its room, or null. */
  readonly room: string | null;
  /** The UTC day of its daily, or null. */
  readonly day: number | null;
  /** The number of the last entry in its journal. */
  readonly seq: number;
  /** All piles by number. */
  readonly piles: readonly Uint8Array[];
  readonly redeals: number;
  readonly started: number;
  readonly deadline: number;
  readonly now: number;
  readonly result: Result;
  /** The digest of the rules that it is played by; servers of release 0.1.0 leave it out. */
  readonly rules: string | null;
}

/**
 * The move stands as entry `seq`: `[number, seq, changes, time?, end?, redeals?]`.
 *
 * What is null at the end is left out. Each move counts one on `result.moves`.
 */
export interface Moved {
  /** What the session knows the attempt by. */
  readonly number: number;
  readonly seq: number;
  /**
   * For each pile that changed `[pile, take, card, ...]`: `take` cards leave its end, and these
   * cards then come onto it.
   */
  readonly changes: readonly (readonly number[])[];
  /** The new `result.time`, if a card came home. */
  readonly time: number | null;
  /** `won` or `stuck`, if this was the last move. */
  readonly end: "resigned" | "stuck" | "time" | "won" | null;
  /** How often the waste has been turned over, if this move did. */
  readonly redeals: number | null;
}

/** A move that a client has missed; `changes` are as in `Moved`, `redeals` holds after it. */
export interface MissedMove {
  readonly source: number;
  readonly target: number;
  readonly count: number;
  readonly changes: readonly (readonly number[])[];
  readonly redeals: number;
}

/** What leads from the entry `since` that the client has to `seq`, the last one. */
export interface Missed {
  /** What the session knows the attempt by from now on. */
  readonly number: number;
  readonly attempt: string;
  readonly since: number;
  readonly seq: number;
  /** One for each entry. The last entry has none if the attempt ended without a move. */
  readonly moves: readonly MissedMove[];
  readonly now: number;
  /** After the last entry. */
  readonly result: Result;
}

/**
 * The attempt is over without a move: resigned, out of time, or found to be stuck.
 *
 * `seq` is its last entry.
 */
export interface Ended {
  readonly number: number;
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

/** What changed in the leaderboard that the session watches; null is what did not. */
export interface LeaderboardChange {
  readonly size: number;
  readonly top: readonly Entry[] | null;
  readonly around: readonly Entry[] | null;
}

/** A deal. */
export interface Deal {
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  readonly commitment: string;
  /** In hexadecimal; null while anyone may still be playing it. */
  readonly seed: string | null;
  /** The digest of the rules that it is played by; null for those of release 0.1.0. */
  readonly rules: string | null;
}

/** Sent before the server closes the socket. */
export interface Bye {
  /** The reason. */
  readonly code: string;
  /** One sentence for people. */
  readonly text: string;
  /**
   * Milliseconds after which the client should come back, chosen so that not all clients come back
   * at once.
   */
  readonly wait: number;
}

/** Every one of the commands by name. */
export interface Commands {
  readonly Hello: Hello;
  readonly Rename: Rename;
  readonly CreateRoom: CreateRoom;
  readonly JoinRoom: JoinRoom;
  readonly LeaveRoom: LeaveRoom;
  readonly SetReady: SetReady;
  readonly StartRound: StartRound;
  readonly OpenAttempt: OpenAttempt;
  readonly Resign: Resign;
  readonly ListDailies: ListDailies;
  readonly OpenDaily: OpenDaily;
  readonly WatchLeaderboard: WatchLeaderboard;
  readonly UnwatchLeaderboard: UnwatchLeaderboard;
  readonly ShowDeal: ShowDeal;
  readonly Ping: Ping;
}

/** The kinds of the commands. */
export const COMMANDS = {
  Hello: 1,
  Rename: 2,
  CreateRoom: 3,
  JoinRoom: 4,
  LeaveRoom: 5,
  SetReady: 6,
  StartRound: 7,
  OpenAttempt: 8,
  Resign: 9,
  ListDailies: 10,
  OpenDaily: 11,
  WatchLeaderboard: 12,
  UnwatchLeaderboard: 13,
  ShowDeal: 14,
  Ping: 15,
} as const;

/** Every one of the events by name. */
export interface Events {
  readonly Welcome: Welcome;
  readonly Done: Done;
  readonly Refused: Refused;
  readonly Pong: Pong;
  readonly RoomState: RoomState;
  readonly Attempt: Attempt;
  readonly Missed: Missed;
  readonly Ended: Ended;
  readonly Dailies: Dailies;
  readonly Leaderboard: Leaderboard;
  readonly LeaderboardChange: LeaderboardChange;
  readonly Deal: Deal;
  readonly Bye: Bye;
}

/** The kinds of the events. */
export const EVENTS = {
  Welcome: 1,
  Done: 2,
  Refused: 3,
  Pong: 4,
  RoomState: 5,
  Attempt: 7,
  Missed: 9,
  Ended: 10,
  Dailies: 11,
  Leaderboard: 12,
  LeaderboardChange: 8,
  Deal: 13,
  Bye: 14,
} as const;

/** A field by its name, if it holds no struct. */
export type Field = string | StructField;

/** A field that holds a struct, or null, or a list of structs. */
export interface StructField {
  readonly name: string;
  readonly struct?: string;
  readonly list?: string;
}

/** The fields of every struct in the order of the wire. */
export const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  Hello: ["version", "token", "name"],
  Rename: ["name"],
  CreateRoom: ["game", "seats", "limit", "key", "variant"],
  JoinRoom: ["code"],
  LeaveRoom: ["code"],
  SetReady: ["code", "ready"],
  StartRound: ["code"],
  Have: ["seq", "digest"],
  OpenAttempt: ["attempt", { name: "have", struct: "Have" }],
  Resign: ["number", "seq"],
  ListDailies: [],
  OpenDaily: ["game"],
  WatchLeaderboard: ["game", "day"],
  UnwatchLeaderboard: [],
  ShowDeal: ["deal"],
  Ping: [],
  PlayMove: ["number", "seq", "source", "target", "count"],
  Result: ["home", "left", "time", "moves", "end"],
  Player: ["id", "name", "tag"],
  Welcome: [{ name: "player", struct: "Player" }, "token", "now"],
  Done: [],
  Refused: ["code", "text", "wait"],
  Pong: ["now"],
  Seat: [{ name: "player", struct: "Player" }, "ready", "here", "wins"],
  Runner: [
    { name: "player", struct: "Player" },
    "attempt",
    { name: "result", struct: "Result" },
    "rank",
  ],
  Round: [
    "number",
    "deal",
    "commitment",
    "starts",
    "deadline",
    "over",
    { name: "runners", list: "Runner" },
    "seed",
  ],
  RoomState: [
    "code",
    "version",
    "game",
    "variant",
    "seats",
    "limit",
    "host",
    { name: "members", list: "Seat" },
    { name: "round", struct: "Round" },
  ],
  Attempt: [
    "number",
    "attempt",
    "deal",
    "commitment",
    "game",
    "variant",
    "room",
    "day",
    "seq",
    "piles",
    "redeals",
    "started",
    "deadline",
    "now",
    { name: "result", struct: "Result" },
    "rules",
  ],
  Moved: ["number", "seq", "changes", "time", "end", "redeals"],
  MissedMove: ["source", "target", "count", "changes", "redeals"],
  Missed: [
    "number",
    "attempt",
    "since",
    "seq",
    { name: "moves", list: "MissedMove" },
    "now",
    { name: "result", struct: "Result" },
  ],
  Ended: ["number", "seq", { name: "result", struct: "Result" }],
  Daily: ["game", "variant", "deal", "commitment", { name: "mine", struct: "Result" }],
  Dailies: ["day", "date", "ends", "closes", "now", { name: "games", list: "Daily" }],
  Entry: ["rank", { name: "player", struct: "Player" }, "left", "time", "moves"],
  Leaderboard: [
    "game",
    "day",
    "size",
    { name: "top", list: "Entry" },
    { name: "around", list: "Entry" },
  ],
  LeaderboardChange: ["size", { name: "top", list: "Entry" }, { name: "around", list: "Entry" }],
  Deal: ["deal", "game", "variant", "commitment", "seed", "rules"],
  Bye: ["code", "text", "wait"],
};
