/** How the player's identity is kept, and signing in and out. Loaded when it is first needed. */

import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import type { Account, AskPasskey, BotCreated, DeviceCode, SignOutEverywhere } from "./messages.ts";
import { disconnected } from "./refusal.ts";

/** Lets the browser create or use a passkey: takes the options and returns the credential, in JSON. */
export type PasskeyPrompt = (options: string) => Promise<string>;

/**
 * Asks the person whether this client may stop being the player that it is: nothing of a guest is
 * left then. No credential replaces a player without it, so a link cannot either.
 */
export type Leave = () => Promise<boolean>;

/** The credentials that are to be removed. */
export type Removed = SignOutEverywhere;

/**
 * The player's account; `client.account()` returns it. Its promises reject with a `Refusal`: as
 * `confirm_first` where a credential of the player has to be shown before.
 *
 * Players who sign in become another player: what the guest before has played is not taken along.
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

  /** Ask for a new recovery code. It counts once it is kept; until then the one before does. */
  async newRecoveryCode(): Promise<string> {
    return (await this.#link.ask("NewRecoveryCode", {})).code;
  }

  /** Keep the identity by a new recovery code that is written down. */
  async keepRecoveryCode(code: string): Promise<void> {
    await this.#link.askWithRetry("KeepRecoveryCode", { code });
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

  /** Show the recovery code: for five minutes, this session may change credentials. */
  async confirmCode(code: string): Promise<void> {
    await this.#link.ask("ConfirmCode", { code });
  }

  /** The same by a passkey of the player; returns its id. An error of `prompt` is passed on. */
  async confirmPasskey(prompt: PasskeyPrompt): Promise<string> {
    const credential = await this.#prompted("confirm", prompt);
    await this.#link.ask("ConfirmPasskey", { credential });
    return (JSON.parse(credential) as { readonly id: string }).id;
  }

  /** Become the player whose recovery or device code this is; false if `leave` says no. */
  async signIn(code: string, leave: Leave): Promise<boolean> {
    return this.#become((await this.#link.ask("SignIn", { code })).token, leave);
  }

  /** Become the player who has a passkey, in the same way. An error of `prompt` is passed on. */
  async usePasskey(prompt: PasskeyPrompt, leave: Leave): Promise<boolean> {
    const credential = await this.#prompted("use", prompt);
    return this.#become((await this.#link.ask("UsePasskey", { credential })).token, leave);
  }

  async #become(token: string, leave: Leave): Promise<boolean> {
    if (!(await leave())) return false;
    this.#connection.become(token);
    return true;
  }

  /** Close all other sessions, void the tokens of other devices, and remove credentials. */
  async signOutEverywhere(removed: Removed = {}): Promise<void> {
    this.#connection.keep((await this.#link.ask("SignOutEverywhere", removed)).token);
  }

  /** Make a bot of the player; its token is sent this once. */
  createBot(name: string): Promise<BotCreated> {
    return this.#link.ask("CreateBot", { name });
  }

  /** Delete a bot of the player: its token is void then. */
  async deleteBot(bot: string): Promise<void> {
    await this.#link.ask("DeleteBot", { bot });
  }

  /** Ask for all that the server has stored under the player, as JSON. */
  async exportData(): Promise<string> {
    return (await this.#link.askWithRetry("ExportData", {})).json;
  }

  /** Delete the player. Then this client is a new guest. */
  async delete(): Promise<void> {
    await this.#link.askWithRetry("DeleteAccount", {});
  }

  /** The browser's answer; the challenge holds for the session that asked. */
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
