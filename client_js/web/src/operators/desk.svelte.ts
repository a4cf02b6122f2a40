/** Requests of a moderator's session, and access control. */

import {
  type Client,
  type Moderate,
  type Operating,
  type OperatorCommands,
  Refusal,
} from "@samedeal/client";
import { usePasskey } from "../account/passkeys.ts";
import { operatorRefusal } from "./words.ts";

/** The desk, the passkey prompt, no access for this player, or no such page here. */
type Gate = "desk" | "confirm" | "stranger" | "missing";

const GATES: Readonly<Record<string, Gate>> = {
  confirm_first: "confirm",
  not_operator: "stranger",
  // A server without moderators knows none of their commands.
  bad_message: "missing",
};

export class Desk {
  gate = $state<Gate>("desk");
  /** The moderator's name and the session's end; null before a passkey was presented. */
  operating = $state.raw<Operating | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Send a request. Rejects with a `Refusal`, which may close the gate. */
  async ask<T>(command: (commands: OperatorCommands) => Promise<T>): Promise<T> {
    try {
      return await command(await this.#client.operators());
    } catch (error) {
      const gate = error instanceof Refusal ? GATES[error.code] : undefined;
      if (gate !== undefined) {
        this.gate = gate;
        this.operating = null;
      }
      throw error;
    }
  }

  /** Check access again, unless a passkey is required. */
  reopen(): void {
    if (this.gate !== "confirm") this.gate = "desk";
  }

  /** Ask for a passkey, and open the desk; rejects with a `Refusal` otherwise. */
  async confirm(): Promise<void> {
    this.operating = await this.ask((commands) => commands.confirm(usePasskey));
    this.gate = "desk";
  }

  /** Perform an act. If the half hour is over, ask for the passkey without losing typed text. */
  async act(act: Moderate): Promise<void> {
    const commands = await this.#client.operators();
    try {
      await commands.act(act);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== "confirm_first") throw error;
      await this.confirm();
      await commands.act(act);
    }
  }
}

const desks = new WeakMap<Client, Desk>();

/** Return a client's desk, which outlives its screens. */
export function deskOf(client: Client): Desk {
  const desk = desks.get(client) ?? new Desk(client);
  desks.set(client, desk);
  return desk;
}

export class Look<T> {
  found = $state.raw<T>();
  /** Why it cannot be shown. */
  problem = $state("");
  readonly #desk: Desk;
  readonly #command: (commands: OperatorCommands) => Promise<T>;

  constructor(desk: Desk, command: (commands: OperatorCommands) => Promise<T>) {
    this.#desk = desk;
    this.#command = command;
  }

  load = async (): Promise<void> => {
    this.problem = "";
    try {
      this.found = await this.#desk.ask(this.#command);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem = operatorRefusal(error);
    }
  };
}
