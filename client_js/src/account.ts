/** How the player's identity is kept, and signing in and out. Loaded when it is first needed. */

import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import type { Account, AskPasskey, DeviceCode } from "./messages.ts";
import { disconnected } from "./refusal.ts";

/** Lets the browser create or use a passkey: takes the options and returns the credential, in JSON. */
export type PasskeyPrompt = (options: string) => Promise<string>;

/**
 * The player's account; `client.account()` returns it. Its promises reject with a `Refusal`.
 *
 * Whoever signs in becomes another player: what the guest before has played is not taken along.
 */
export class AccountCommands {
  readonly #link: Link;
  readonly #connection: Connection;

  constructor(link: Link, connection: Connection) {
    this.#link = link;
    this.#connection = connection;
  }

  /** Ask how the identity is kept. */
  get(): Promise<Account> {
    return this.#link.askWithRetry("GetAccount", {});
  }

  /** Keep the identity by a new recovery code, which takes the place of the one before. */
  async newRecoveryCode(): Promise<string> {
    return (await this.#link.ask("NewRecoveryCode", {})).code;
  }

  /** Keep the identity by a passkey. An error of `prompt` is passed on. */
  async createPasskey(prompt: PasskeyPrompt): Promise<void> {
    const credential = await this.#prompted("create", prompt);
    await this.#link.ask("CreatePasskey", { credential: needed(credential) });
  }

  /** Ask for a code that signs another device in, once. */
  linkDevice(): Promise<DeviceCode> {
    return this.#link.askWithRetry("LinkDevice", {});
  }

  /** Become the player whose recovery or device code this is. */
  async signIn(code: string): Promise<void> {
    this.#connection.become((await this.#link.ask("SignIn", { code })).token);
  }

  /** Become the player who has a passkey. An error of `prompt` is passed on. */
  async usePasskey(prompt: PasskeyPrompt): Promise<void> {
    const credential = await this.#prompted("use", prompt);
    this.#connection.become((await this.#link.ask("UsePasskey", { credential })).token);
  }

  /** Close all other sessions, and void the tokens that other devices have stored. */
  async signOutEverywhere(): Promise<void> {
    this.#connection.keep((await this.#link.ask("SignOutEverywhere", {})).token);
  }

  /** Ask for all that the server has stored under the player, as JSON. */
  async exportData(): Promise<string> {
    return (await this.#link.askWithRetry("ExportData", {})).json;
  }

  /** Delete the player. Then this client is a new guest. */
  async delete(): Promise<void> {
    await this.#link.askWithRetry("DeleteAccount", {});
  }

  /** What the browser answers; the challenge holds for the session that asked. */
  async #prompted(purpose: AskPasskey["purpose"], prompt: PasskeyPrompt): Promise<string> {
    const { options } = await this.#link.ask("AskPasskey", { purpose });
    const session = this.#connection.session;
    const credential = await prompt(options);
    if (this.#connection.session !== session) throw disconnected();
    return credential;
  }
}

/** A new credential without what the server does not need, so that it fits into a frame. */
function needed(credential: string): string {
  const { id, rawId, type, response } = JSON.parse(credential) as Record<string, unknown>;
  const { clientDataJSON, attestationObject } = response as Record<string, unknown>;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, attestationObject } });
}
