/**
 * Every message of the protocol, as types and tables; `server/PROTOCOL.md` explains them.
 *
 * Printed by `python -m server.gateway.typescript` from `server/gateway/messages`: change that.
 */

/** The `re` of an event that answers nothing: the server sends it of its own accord. */
export const NEWS = 0;

/** The version of the protocol, which a client states in `Hello`. */
export const VERSION = 2;

/**
 * The kind of progress, `[PROGRESS, runner, home, moves, ...]`: three numbers for each runner who
 * got further, the first of them its index among the `runners` of the room that was sent last. Like
 * the messages of a move it has no `re`, since it never answers a command.
 */
export const PROGRESS = 6;

/** The least number of an attempt; a smaller one at the start of a message is its kind. */
export const FIRST_NUMBER = 32;

/** Attempts that a session has numbers for; after that a new one replaces the oldest. */
export const MOST_NUMBERS = 64;

/** What an event answers: a command's `id`, a move's `(number, seq)`, or `NEWS`. */
export type Re = number | readonly [number, number];

/** A player's public profile. */
export interface Player {
  /** Public, and no credential. */
  readonly id: string;
  /** As the player chose it; several players may have the same one. */
  readonly name: string;
  /** Four characters that tell players of one name apart; they never change. */
  readonly tag: string;
}

/** How an attempt stands, or how it ended. */
export interface Result {
  /** Cards on the foundations. */
  readonly home: number;
  /** Cards that are not on the foundations yet. */
  readonly left: number;
  /** Milliseconds from the start to the last card that reached a foundation. */
  readonly time: number;
  /** Moves played. */
  readonly moves: number;
  /** Why the attempt ended, or null while it is being played. */
  readonly end: "resigned" | "stuck" | "time" | "won" | null;
}

/**
 * Open the session: the first command of every connection, and only the first.
 *
 * Refused as `bad_version`, `bad_token` or `bad_name`.
 */
export interface Hello {
  /** The version of the protocol that the client speaks. */
  readonly version: number;
  /** The player's, from an earlier `Welcome`; null makes a new guest. */
  readonly token?: string | null;
  /** The player's new name, or null to keep the present one. */
  readonly name?: string | null;
}

/**
 * Change the player's name.
 *
 * Refused as `bad_name`.
 */
export interface Rename {
  readonly name: string;
}

/** Ask for the server's time. */
export type Ping = object;

/** The session is open. */
export interface Welcome {
  readonly player: Player;
  /** The player's credential, for `Hello` in later sessions. Keep it secret. */
  readonly token: string;
  /** The server's time in Unix milliseconds. */
  readonly now: number;
}

/** The command was carried out, and has no other result. */
export type Done = object;

/**
 * The command was not carried out, or the frame is not a message (`re` may then be 0).
 *
 * Any message can be refused as `bad_message`, `hello_first`, `too_fast`, `unavailable` or
 * `internal`; commands name the other codes that they are refused with.
 */
export interface Refused {
  /** One of the codes of `server/core/refusal.py`. */
  readonly code: string;
  /** One sentence for the player. */
  readonly text: string;
  /** Milliseconds after which to try again, or 0 if that is up to the client. */
  readonly wait: number;
}

/** The answer to a `Ping`. */
export interface Pong {
  /** The server's time in Unix milliseconds. */
  readonly now: number;
}

/** The server is about to close the socket. */
export interface Bye {
  /** The reason, in lower case, as in the protocol's table of close codes. */
  readonly code: string;
  /** One sentence for the player. */
  readonly text: string;
  /**
   * Milliseconds after which to connect again, drawn at random for each client so that not all of
   * them return at once.
   */
  readonly wait: number;
}

/**
 * Open a race room and take its first seat.
 *
 * Refused as `unknown_game`, `unknown_variant`, `room_full` or `overloaded`; as `room_full` only
 * if the room was created before, and the player's seat in it has been given up and taken.
 */
export interface CreateRoom {
  readonly game: string;
  /** How many players it has room for, 1 to 8. */
  readonly seats: number;
  /** Seconds for a round, 60 to 7,200. */
  readonly limit: number;
  /** Random, chosen by the client: a player's commands with the same key create one room. */
  readonly key: string;
  /** Of the game; `standard` is its base form. */
  readonly variant?: string;
}

/**
 * Take a seat, or return to one's own, and subscribe the session to the room.
 *
 * Refused as `unknown_room` or `room_full`.
 */
export interface JoinRoom {
  readonly code: string;
}

/**
 * Give the seat up; the player's attempt at a round that is being played is resigned.
 *
 * Refused as `unknown_room`.
 */
export interface LeaveRoom {
  readonly code: string;
}

/**
 * Say whether the player will be in the next round.
 *
 * Refused as `unknown_room`, `not_seated` or `round_running`.
 */
export interface SetReady {
  readonly code: string;
  readonly ready: boolean;
}

/**
 * Start a round with all members who are ready; the host always is.
 *
 * Refused as `unknown_room`, `not_seated`, `not_host` or `round_running`.
 */
export interface StartRound {
  readonly code: string;
}

/** A member of a room. */
export interface Seat {
  readonly player: Player;
  /** Whether the player will be in the next round. */
  readonly ready: boolean;
  /** Whether the player has a session in the room. */
  readonly here: boolean;
  /** Rounds that the player has won in this room. */
  readonly wins: number;
}

/** A player in a round. */
export interface Runner {
  readonly player: Player;
  /** The id of the player's attempt at the round. */
  readonly attempt: string;
  /** While the attempt is being played, only `home`, `left` and `moves` are known. */
  readonly result: Result;
  /** 1 for the best, equal results sharing one; null until the round is over. */
  readonly rank: number | null;
}

/** A round of a room. */
export interface Round {
  /** 1 for the room's first round. */
  readonly number: number;
  /** The id of its deal. */
  readonly deal: string;
  /** To the deal's seed, in hexadecimal. */
  readonly commitment: string;
  /** When the cards are sent, in Unix milliseconds. */
  readonly starts: number;
  /** When attempts that are still being played end, in Unix milliseconds. */
  readonly deadline: number;
  /** Whether all attempts have ended. */
  readonly over: boolean;
  readonly runners: readonly Runner[];
  /** The deal's, in hexadecimal; null until the round is over. */
  readonly seed: string | null;
}

/** A whole room: answers commands to it, and is sent to its subscribers at every change. */
export interface RoomState {
  readonly code: string;
  /** Of the room; it only grows. */
  readonly version: number;
  readonly game: string;
  readonly variant: string;
  /** How many players it has room for. */
  readonly seats: number;
  /** Seconds for a round. */
  readonly limit: number;
  /** The id of the player who starts its rounds. */
  readonly host: string;
  /** In the order in which they took their seats. */
  readonly members: readonly Seat[];
  /** The latest one, or null before the first. */
  readonly round: Round | null;
}

/** What a client already has of an attempt. */
export interface Have {
  /** The last journal entry that was acknowledged to it. */
  readonly seq: number;
  /** The 32-bit digest of its view after that entry. */
  readonly digest: number;
}

/**
 * Ask for an attempt's snapshot, or for what the client has missed of it.
 *
 * The session is told from then on if the attempt ends without a command. Refused as
 * `unknown_attempt` or `not_started`.
 */
export interface OpenAttempt {
  /** Its id. */
  readonly attempt: string;
  /** What the client has of it, or null to get the snapshot. */
  readonly have?: Have | null;
}

/**
 * End the attempt as it stands.
 *
 * Refused as `unknown_attempt`, `not_started` or `attempt_ended`.
 */
export interface Resign {
  /** The attempt's number in the session. */
  readonly number: number;
  /** One more than the last journal entry that the client knows. */
  readonly seq: number;
}

/**
 * Play a move, `[number, seq, source, target, count?]`.
 *
 * Refused as `unknown_attempt`, `not_started`, `bad_move`, `illegal_move`, `attempt_ended` or
 * `too_many_moves`.
 */
export interface PlayMove {
  /** The attempt's number in the session. */
  readonly number: number;
  /** One more than the last journal entry that the client knows. */
  readonly seq: number;
  /** The number of the pile that cards are taken from. */
  readonly source: number;
  /**
   * The number of the pile that they are put on; one more than the last pile's deals a row from the
   * stock.
   */
  readonly target: number;
  /** How many cards. */
  readonly count?: number;
}

/** An attempt's snapshot, as its player may see it. */
export interface Attempt {
  /** Its number in the session from now on. */
  readonly number: number;
  /** Its id. */
  readonly attempt: string;
  /** The id of its deal. */
  readonly deal: string;
  /** To the deal's seed, in hexadecimal. */
  readonly commitment: string;
  readonly game: string;
  readonly variant: string;
  /** The code of its room, or null for a daily. */
  readonly room: string | null;
  /** The UTC day of its daily, counted from 1970-01-01, or null for a round. */
  readonly day: number | null;
  /** The last entry of its journal. */
  readonly seq: number;
  /** All piles by number, each from bottom to top with a byte for each card. */
  readonly piles: readonly Uint8Array[];
  /** How often the waste has been turned over. */
  readonly redeals: number;
  /** When its clock started, in Unix milliseconds. */
  readonly started: number;
  /** When it ends by itself, in Unix milliseconds. */
  readonly deadline: number;
  /** The server's time in Unix milliseconds. */
  readonly now: number;
  readonly result: Result;
}

/**
 * The move is in the journal as entry `seq`: `[number, seq, changes, time?, end?, redeals?]`.
 *
 * Nulls at the end are left out. Each move adds 1 to `result.moves`.
 */
export interface Moved {
  /** The attempt's number in the session. */
  readonly number: number;
  /** The entry. */
  readonly seq: number;
  /**
   * For each pile that changed `[pile, take, card, ...]`: `take` cards leave its end, and then
   * these cards are put there.
   */
  readonly changes: readonly (readonly number[])[];
  /** The new `result.time`, if a card reached a foundation. */
  readonly time: number | null;
  /** `won` or `stuck`, if this was the last move. */
  readonly end: "resigned" | "stuck" | "time" | "won" | null;
  /** How often the waste has been turned over, if this move did so. */
  readonly redeals: number | null;
}

/** A move that a client has missed. */
export interface MissedMove {
  /** As in `PlayMove`. */
  readonly source: number;
  /** As in `PlayMove`. */
  readonly target: number;
  /** How many cards. */
  readonly count: number;
  /** As in `Moved`. */
  readonly changes: readonly (readonly number[])[];
  /** How often the waste has been turned over after it. */
  readonly redeals: number;
}

/** What happened in an attempt after the entry `since`, which the client has. */
export interface Missed {
  /** The attempt's number in the session from now on. */
  readonly number: number;
  /** Its id. */
  readonly attempt: string;
  readonly since: number;
  /** The last entry of its journal. */
  readonly seq: number;
  /** One for each entry, except the last if the attempt ended without a move. */
  readonly moves: readonly MissedMove[];
  /** The server's time in Unix milliseconds. */
  readonly now: number;
  /** After the last entry. */
  readonly result: Result;
}

/** The attempt ended without a move: resigned, out of time, or found to be stuck. */
export interface Ended {
  /** Its number in the session. */
  readonly number: number;
  /** The last entry of its journal. */
  readonly seq: number;
  readonly result: Result;
}

/**
 * Ask for a deal's commitment, and for its seed once the deal is closed.
 *
 * Refused as `unknown_deal`.
 */
export interface ShowDeal {
  /** Its id. */
  readonly deal: string;
}

/** A deal. */
export interface Deal {
  /** Its id. */
  readonly deal: string;
  readonly game: string;
  readonly variant: string;
  /** To the seed, in hexadecimal. */
  readonly commitment: string;
  /** In hexadecimal; null while anyone may still be playing the deal. */
  readonly seed: string | null;
}

/** Ask for today's deals. */
export type ListDailies = object;

/**
 * Start the player's one ranked attempt at today's deal of a game, or return to it.
 *
 * In the hour after midnight UTC, an attempt at yesterday's deal that is still being played is
 * returned to first. Refused as `unknown_game` or `already_played`.
 */
export interface OpenDaily {
  readonly game: string;
}

/** A game's deal of the day. */
export interface Daily {
  readonly game: string;
  readonly variant: string;
  /** Its id. */
  readonly deal: string;
  /** To the deal's seed, in hexadecimal. */
  readonly commitment: string;
  /** The player's result, or null until the player starts. */
  readonly mine: Result | null;
}

/** The deals of a day. */
export interface Dailies {
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number;
  /** The same as `YYYY-MM-DD`. */
  readonly date: string;
  /** Until when an attempt may be started, in Unix milliseconds. */
  readonly ends: number;
  /** Until when it may be played, in Unix milliseconds. */
  readonly closes: number;
  /** The server's time in Unix milliseconds. */
  readonly now: number;
  /** One for each game. */
  readonly games: readonly Daily[];
}

/**
 * Ask for a leaderboard, and subscribe the session to its changes and to no other one's.
 *
 * Refused as `unknown_game` or `unknown_day`.
 */
export interface WatchLeaderboard {
  readonly game: string;
  /** The UTC day, counted from 1970-01-01, or null for today. */
  readonly day?: number | null;
}

/** End the session's subscription to a leaderboard, if there is one. */
export type UnwatchLeaderboard = object;

/** A row of a leaderboard. */
export interface Entry {
  /** 1 for the best; equal results share one. */
  readonly rank: number;
  readonly player: Player;
  /** Cards that are not on the foundations. */
  readonly left: number;
  /** Milliseconds from the start to the last card that reached a foundation. */
  readonly time: number;
  /** Moves played. */
  readonly moves: number;
}

/** A day's leaderboard. */
export interface Leaderboard {
  readonly game: string;
  /** The UTC day, counted from 1970-01-01. */
  readonly day: number;
  /** How many rows it has. */
  readonly size: number;
  /** Its first rows. */
  readonly top: readonly Entry[];
  /** The player's own row with its neighbours; empty if there is none. */
  readonly around: readonly Entry[];
}

/** What changed in the leaderboard that the session is subscribed to. */
export interface LeaderboardChange {
  /** How many rows it has. */
  readonly size: number;
  /** Its first rows, or null if they did not change. */
  readonly top: readonly Entry[] | null;
  /** The player's own row with its neighbours, or null if they did not change. */
  readonly around: readonly Entry[] | null;
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
  readonly LeaderboardChange: LeaderboardChange;
  readonly Missed: Missed;
  readonly Ended: Ended;
  readonly Dailies: Dailies;
  readonly Leaderboard: Leaderboard;
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
  LeaderboardChange: 8,
  Missed: 9,
  Ended: 10,
  Dailies: 11,
  Leaderboard: 12,
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
  Player: ["id", "name", "tag"],
  Result: ["home", "left", "time", "moves", "end"],
  Hello: ["version", "token", "name"],
  Rename: ["name"],
  Ping: [],
  Welcome: [{ name: "player", struct: "Player" }, "token", "now"],
  Done: [],
  Refused: ["code", "text", "wait"],
  Pong: ["now"],
  Bye: ["code", "text", "wait"],
  CreateRoom: ["game", "seats", "limit", "key", "variant"],
  JoinRoom: ["code"],
  LeaveRoom: ["code"],
  SetReady: ["code", "ready"],
  StartRound: ["code"],
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
  Have: ["seq", "digest"],
  OpenAttempt: ["attempt", { name: "have", struct: "Have" }],
  Resign: ["number", "seq"],
  PlayMove: ["number", "seq", "source", "target", "count"],
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
  ShowDeal: ["deal"],
  Deal: ["deal", "game", "variant", "commitment", "seed"],
  ListDailies: [],
  OpenDaily: ["game"],
  Daily: ["game", "variant", "deal", "commitment", { name: "mine", struct: "Result" }],
  Dailies: ["day", "date", "ends", "closes", "now", { name: "games", list: "Daily" }],
  WatchLeaderboard: ["game", "day"],
  UnwatchLeaderboard: [],
  Entry: ["rank", { name: "player", struct: "Player" }, "left", "time", "moves"],
  Leaderboard: [
    "game",
    "day",
    "size",
    { name: "top", list: "Entry" },
    { name: "around", list: "Entry" },
  ],
  LeaderboardChange: ["size", { name: "top", list: "Entry" }, { name: "around", list: "Entry" }],
};
