/** Moderation commands, for operators of a server. Loaded on first use. */

import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import type { ListCases, LookUp, Moderate, Operating } from "./messages.ts";
import type {
  AnyAct,
  CasePage,
  CircleShown,
  PlayerRow,
  PlayerShown,
  RoomRow,
  RoomShown,
  RunShown,
} from "./operatorTypes.ts";
import { disconnected } from "./refusal.ts";

/** The lookups and their result types. */
export interface LookUps {
  readonly players: readonly PlayerRow[];
  readonly player: PlayerShown;
  readonly open_rooms: readonly RoomRow[];
  readonly running_rooms: readonly RoomRow[];
  readonly room: RoomShown;
  readonly circle: CircleShown;
  readonly run: RunShown;
  readonly acts: readonly AnyAct[];
}

/**
 * The operator commands, from `client.operators()`. Their promises reject with a `Refusal`:
 * `confirm_first` until this session has presented a passkey, `not_operator` for other players, and
 * `bad_message` from a server without operators.
 */
export class OperatorCommands {
  readonly #link: Link;
  readonly #connection: Connection;

  constructor(link: Link, connection: Connection) {
    this.#link = link;
    this.#connection = connection;
  }

  /**
   * Present a passkey, which permits moderation in this session for half an hour. Errors of
   * `prompt` are rethrown.
   */
  async confirm(prompt: (options: string) => Promise<string>): Promise<Operating> {
    const { options } = await this.#link.ask("AskOperator", {});
    const session = this.#connection.session;
    const credential = await prompt(options);
    // The challenge is valid only for the session that requested it.
    if (this.#connection.session !== session) throw disconnected();
    return this.#link.ask("ConfirmOperator", { credential });
  }

  /** List suspicious runs and reports, newest first. */
  async cases(filters: ListCases): Promise<CasePage> {
    const { state, source = null, day = null, before = null } = filters;
    const found = await this.#link.askWithRetry("ListCases", { state, source, day, before });
    return JSON.parse(found.json) as CasePage;
  }

  /**
   * Look something up.
   *
   * @param about a prefix of names for `players`, an id, or a room's code; for lists of rooms, a
   * game's id or empty.
   */
  async look<What extends LookUp["what"]>(what: What, about = ""): Promise<LookUps[What]> {
    const { json } = await this.#link.askWithRetry("LookUp", { what, about });
    return JSON.parse(json) as LookUps[What];
  }

  /** Perform an act, recorded with its reason in the audit journal; return its id there. */
  async act(act: Moderate): Promise<string> {
    return (await this.#link.ask("Moderate", act)).act;
  }
}
