/** Credentials of the player: passkeys and the recovery code, as the account's page lists them. */

import type { Account, Removed } from "@samedeal/client";
import { momentWords } from "../text/account.ts";
import { text } from "../text/index.ts";

export interface Credential {
  /** The id of a passkey; null for the recovery code. */
  readonly id: string | null;
  readonly name: string;
  /** When it was added, in Unix milliseconds. */
  readonly added: number;
  /** When it was last used; null if it was not. */
  readonly used: number | null;
}

/** All of them, the oldest first. A passkey that has not said what it is has a number. */
export function credentialsOf({
  passkeys,
  recovery,
}: Pick<Account, "passkeys" | "recovery">): readonly Credential[] {
  const words = text.account;
  const found: Credential[] = passkeys.map(({ id, added, used, name }, at) => ({
    ...{ id, added, used },
    name: name === "" ? words.passkey(at + 1) : name,
  }));
  if (recovery !== null) found.push({ id: null, name: words.recovery, ...recovery });
  return found.sort((one, other) => one.added - other.added);
}

/** When one was added and used, in words. */
export function timesOf({ added, used }: Credential): string {
  const words = text.account;
  const last = used === null ? words.unused : words.used(momentWords(used));
  return `${words.added(momentWords(added))}, ${last}`;
}

/** The credential that the server is told to remove. */
export function removal(credentials: readonly Credential[]): Removed {
  const passkeys = credentials.flatMap(({ id }) => (id === null ? [] : [id]));
  return { passkeys, recovery: passkeys.length < credentials.length };
}
