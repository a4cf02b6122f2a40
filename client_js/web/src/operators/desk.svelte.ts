/** What a moderator's session asks for, and who is let in. */

import {
  type Client,
  type Moderate,
  type Operating,
  type OperatorCommands,
  Refusal,
} from "@samedeal/client";
import { usePasskey } from "../account/passkeys.ts";
import { operatorRefusal } from "./words.ts";

/** What the page shows: the desk, a passkey's prompt, or that there is no such page for this player. */
type Gate = "desk" | "confirm" | "stranger" | "missing";

const GATES: Readonly<Record<string, Gate>> = {
  confirm_first: "confirm",
  not_operator: "stranger",
  // A server without moderators knows none of their commands.
  bad_message: "missing",
};

export class Desk {
  gate = $state<Gate>("desk");
  /** Who moderates, and until when; null before a passkey was shown on this page. */
  operating = $state.raw<Operating | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Ask for something; rejects with a `Refusal`, by which the gate may close. */
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

  /** Ask again who is let in, but for the passkey. */
  reopen(): void {
    if (this.gate !== "confirm") this.gate = "desk";
  }

  /** Let the player show a passkey, and open the desk; rejects with a `Refusal` if not. */
  async confirm(): Promise<void> {
    this.operating = await this.ask((commands) => commands.confirm(usePasskey));
    this.gate = "desk";
  }

  /** Act; if the half hour is over, the passkey is asked for, and what was typed stays. */
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

/** The desk of a client, which outlives its screens. */
export function deskOf(client: Client): Desk {
  const desk = desks.get(client) ?? new Desk(client);
  desks.set(client, desk);
  return desk;
}

/** Something that is looked up, and may be looked up again. */
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
