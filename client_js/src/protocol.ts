/** The commands and events of this library: the generated fields with their type names. */

import type { Answers, Commands, Events, Moved, PlayMove, Re } from "./messages.ts";

/** The server's close codes that clients act on. */
export const CLOSE = {
  badMessages: 4000,
  replaced: 4001,
  badVersion: 4002,
  tooFast: 4005,
  signedOut: 4007,
  barred: 4008,
} as const;

/** Runners of a round that progressed; `runner` is an index into the last `RoomState`'s runners. */
export interface Progress {
  readonly counters: readonly {
    readonly runner: number;
    readonly home: number;
    readonly moves: number;
    readonly headway: number;
  }[];
}

/** The fields of each command, without the `id`. */
export interface CommandFields extends Commands {
  readonly PlayMove: PlayMove;
}

export type CommandType = keyof CommandFields;

/** A command of one type. Ids ascend within a session; moves are sent without one. */
export type CommandOf<T extends CommandType> = CommandFields[T] & {
  readonly type: T;
  readonly id: number;
};

export type Command = { [T in CommandType]: CommandOf<T> }[CommandType];

export interface EventFields extends Events {
  readonly Moved: Moved;
  readonly Progress: Progress;
}

export type EventType = keyof EventFields;

/** An event of one type, and the command it answers. */
export type EventOf<T extends EventType> = EventFields[T] & {
  readonly type: T;
  readonly re: Re;
};

export type Event = { [T in EventType]: EventOf<T> }[EventType];

/** The names of the events that answer each command. */
interface AnswerTypes extends Answers {
  readonly PlayMove: "Moved" | "Attempt";
}

/** The event that answers a command, unless it is refused. */
export type AnswerTo<T extends CommandType> = Extract<Event, { readonly type: AnswerTypes[T] }>;
