/** The player's credentials, passkeys and the recovery code, as listed on the account page. */

import type { Account, Removed } from "@samedeal/client";
import { momentWords } from "../text/account.ts";
import { text } from "../text/index.ts";

export interface Credential {
  /** The id of a passkey; null for the recovery code. */
  readonly id: string | null;
  readonly name: string;
  /** The time it was added, in Unix milliseconds. */
  readonly added: number;
  /** The time of its last use; null if never used. */
  readonly used: number | null;
}

/** Return all credentials, the oldest first. A passkey without a name gets a number. */
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

export function timesOf({ added, used }: Credential): string {
  const words = text.account;
  const last = used === null ? words.unused : words.used(momentWords(used));
  return `${words.added(momentWords(added))}, ${last}`;
}

export function removal(credentials: readonly Credential[]): Removed {
  const passkeys = credentials.flatMap(({ id }) => (id === null ? [] : [id]));
  return { passkeys, recovery: passkeys.length < credentials.length };
}
