/** Moderating, for those who run the server. Loaded when it is first needed. */

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

/** What can be looked up, and its type. */
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
 * What operators do; `client.operators()` returns it. Its promises reject with a `Refusal`: as
 * `confirm_first` until a passkey was shown in this session, as `not_operator` for others, and as
 * `bad_message` by a server that has no operators.
 */
export class OperatorCommands {
  readonly #link: Link;
  readonly #connection: Connection;

  constructor(link: Link, connection: Connection) {
    this.#link = link;
    this.#connection = connection;
  }

  /** Show a passkey: for half an hour, this session may moderate. An error of `prompt` is passed on. */
  async confirm(prompt: (options: string) => Promise<string>): Promise<Operating> {
    const { options } = await this.#link.ask("AskOperator", {});
    const session = this.#connection.session;
    const credential = await prompt(options);
    // The challenge holds for the session that asked.
    if (this.#connection.session !== session) throw disconnected();
    return this.#link.ask("ConfirmOperator", { credential });
  }

  /** Ask for suspicious runs and reports, newest first. */
  async cases(filters: ListCases): Promise<CasePage> {
    const { state, source = null, day = null, before = null } = filters;
    const found = await this.#link.askWithRetry("ListCases", { state, source, day, before });
    return JSON.parse(found.json) as CasePage;
  }

  /** Look something up: by the beginning of a name, an id, or a room's code. */
  async look<What extends LookUp["what"]>(what: What, about = ""): Promise<LookUps[What]> {
    const { json } = await this.#link.askWithRetry("LookUp", { what, about });
    return JSON.parse(json) as LookUps[What];
  }

  /** Act, for the audit journal with a reason; returns the act's id there. */
  async act(act: Moderate): Promise<string> {
    return (await this.#link.ask("Moderate", act)).act;
  }
}
