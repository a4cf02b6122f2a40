/** Events and parts of events as sent by a server. */

import { NEWS, type Re } from "../src/messages.ts";
import type { EventOf } from "../src/protocol.ts";

export const ADA = { id: "k3mq7w2r5t9xkz4b", name: "Ada", tag: "4F2A", bot: false };
export const BOB = { id: "zz5n8c1v6m2qx7ap", name: "Bob", tag: "9C01", bot: false };

const noHelp = { undos: 0, hints: 0, peeked: false };

/** The initial result of an attempt. */
export const NO_MOVES = { home: 0, left: 52, time: 0, moves: 0, end: null, ...noHelp };

export const ROOM = "H7KQ2M4X";

/** Return Ada's room without members, with these fields replaced. */
export function roomState(fields: Partial<EventOf<"RoomState">> = {}): EventOf<"RoomState"> {
  return {
    ...{ type: "RoomState", re: NEWS, code: ROOM, version: 1, game: "robert" },
    ...{ variant: "standard", seats: 2, limit: 900, host: ADA.id, round: null, members: [] },
    ...{ locked: false, proposals: [], scores: [], public: false, former: [] },
    ...{ quick: false, bot_at: null, help: "none" as const, known: "", winnable: false },
    ...fields,
  };
}

export const unavailable = (re: Re, code = "unavailable", wait = 0): EventOf<"Refused"> => ({
  ...{ type: "Refused", re, code, text: "Try again.", wait },
});
