/** The player's account: keeping the identity, signing in and out. Loaded on first use. */

import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import type {
  Account,
  AddPractice,
  AskPasskey,
  BotCreated,
  DeviceCode,
  Practised,
  SignOutEverywhere,
} from "./messages.ts";
import { disconnected } from "./refusal.ts";

/**
 * Makes the browser create or use a passkey: takes the options and returns the credential, both as
 * JSON.
 */
export type PasskeyPrompt = (options: string) => Promise<string>;

/**
 * Asks the person to confirm leaving the current player. A guest without credentials cannot be
 * recovered afterwards. Credentials alone never replace the player, so following a link cannot
 * either.
 */
export type Leave = () => Promise<boolean>;

/** The credentials to remove. */
export type Removed = SignOutEverywhere;

/**
 * The account commands, from `client.account()`. Their promises reject with a `Refusal`, such as
 * `confirm_first` if the session must first present one of the player's credentials.
 *
 * Signing in switches to another player; the former guest's results are not transferred.
 */
export class AccountCommands {
  readonly #link: Link;
  readonly #connection: Connection;

  constructor(link: Link, connection: Connection) {
    this.#link = link;
    this.#connection = connection;
  }

  /** Return the statistics of practice that are stored with the identity. */
  async practice(): Promise<readonly Practised[]> {
    return (await this.#link.ask("GetPractice", {})).practised;
  }

  /**
   * Add a batch of practice deals to them, and return its variant's. If the answer is lost, send
   * the same batch again: it is not added twice.
   */
  async addPractice(batch: AddPractice): Promise<readonly Practised[]> {
    return (await this.#link.ask("AddPractice", batch)).practised;
  }

  /** Return the credentials that keep the identity. */
  get(): Promise<Account> {
    return this.#link.askWithRetry("GetAccount", {});
  }

  /** Request a new recovery code. It replaces the previous one only after `keepRecoveryCode`. */
  async newRecoveryCode(): Promise<string> {
    return (await this.#link.ask("NewRecoveryCode", {})).code;
  }

  /** Confirm that a new recovery code is written down, and keep the identity with it. */
  async keepRecoveryCode(code: string): Promise<void> {
    await this.#link.askWithRetry("KeepRecoveryCode", { code });
  }

  /** Keep the identity with a passkey. Errors of `prompt` are rethrown. */
  async createPasskey(prompt: PasskeyPrompt): Promise<void> {
    const credential = await this.#prompted("create", prompt);
    await this.#link.ask("CreatePasskey", { credential: needed(credential) });
  }

  /** Request a one-time code that signs in another device. */
  linkDevice(): Promise<DeviceCode> {
    return this.#link.askWithRetry("LinkDevice", {});
  }

  /** Present the recovery code. This session may then change credentials for five minutes. */
  async confirmCode(code: string): Promise<void> {
    await this.#link.ask("ConfirmCode", { code });
  }

  /**
   * Do the same with one of the player's passkeys, and return its id. Errors of `prompt` are
   * rethrown.
   */
  async confirmPasskey(prompt: PasskeyPrompt): Promise<string> {
    const credential = await this.#prompted("confirm", prompt);
    await this.#link.ask("ConfirmPasskey", { credential });
    return (JSON.parse(credential) as { readonly id: string }).id;
  }

  /** Sign in with a recovery code or device code. Return false if `leave` declines. */
  async signIn(code: string, leave: Leave): Promise<boolean> {
    return this.#become((await this.#link.ask("SignIn", { code })).token, leave);
  }

  /** Sign in with a passkey. Return false if `leave` declines. Errors of `prompt` are rethrown. */
  async usePasskey(prompt: PasskeyPrompt, leave: Leave): Promise<boolean> {
    const credential = await this.#prompted("use", prompt);
    return this.#become((await this.#link.ask("UsePasskey", { credential })).token, leave);
  }

  async #become(token: string, leave: Leave): Promise<boolean> {
    if (!(await leave())) return false;
    this.#connection.become(token);
    return true;
  }

  /** Close all other sessions, revoke the tokens of other devices, and remove credentials. */
  async signOutEverywhere(removed: Removed = {}): Promise<void> {
    this.#connection.keep((await this.#link.ask("SignOutEverywhere", removed)).token);
  }

  /** Create a bot owned by the player. Its token is sent only in this answer. */
  createBot(name: string): Promise<BotCreated> {
    return this.#link.ask("CreateBot", { name });
  }

  /** Delete one of the player's bots and revoke its token. */
  async deleteBot(bot: string): Promise<void> {
    await this.#link.ask("DeleteBot", { bot });
  }

  /** Return everything the server stores about the player, as JSON. */
  async exportData(): Promise<string> {
    return (await this.#link.askWithRetry("ExportData", {})).json;
  }

  /** Delete the player. This client continues as a new guest. */
  async delete(): Promise<void> {
    await this.#link.askWithRetry("DeleteAccount", {});
  }

  /** Return the browser's answer. The challenge is valid only for the session that requested it. */
  async #prompted(purpose: AskPasskey["purpose"], prompt: PasskeyPrompt): Promise<string> {
    const { options } = await this.#link.ask("AskPasskey", { purpose });
    const session = this.#connection.session;
    const credential = await prompt(options);
    if (this.#connection.session !== session) throw disconnected();
    return credential;
  }
}

/** Return a new credential reduced to the fields the server needs, so that it fits in a frame. */
function needed(credential: string): string {
  const { id, rawId, type, response } = JSON.parse(credential) as Record<string, unknown>;
  const { clientDataJSON, attestationObject } = response as Record<string, unknown>;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, attestationObject } });
}
