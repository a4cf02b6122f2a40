/** What becomes of a subscription to notifications that the browser has renewed or dropped. */

import type { PushCommands } from "@samedeal/client";
import type { Memory } from "../offline/remembered.ts";
import type { Subscribed } from "./push.ts";

/** This browser, as far as it can be told something. */
export interface Subscriber {
  /** Whether the person lets this site notify. */
  readonly allowed: boolean;
  subscribed(): Promise<Subscribed | null>;
  subscribe(key: string): Promise<Subscribed | null>;
  /** End the subscription, and forget it. */
  unsubscribe(): Promise<void>;
}

/**
 * Compare this browser's subscription with the one that it remembers and with what the server has,
 * and tell the server of another one.
 *
 * One that the browser has dropped is made anew. One that the person does not allow any more, or
 * that the server does not have though it is the same, ends: the player has removed it on another
 * device, or signed out everywhere. So does another player's: what that one has asked to be told is
 * not for whoever plays here now.
 *
 * Rejects with a `Refusal` or as the browser does; what is missing then is done the next time.
 */
export async function renew(
  commands: () => Promise<Pick<PushCommands, "add" | "get" | "remove">>,
  { player, language }: { readonly player: string; readonly language: string },
  memory: Memory,
  browser: Subscriber,
): Promise<void> {
  const before = await memory.read();
  if (before === null) return;
  if (before.player !== player) {
    await browser.unsubscribe();
    return;
  }
  const now = await browser.subscribed();
  const push = await commands();
  const { key, devices } = await push.get();
  const known = devices.some(({ id }) => id === before.device);
  const same = now?.id === before.device;
  // A server without a key tells nobody anything, perhaps only for now.
  if (key === null || (browser.allowed && same && known && key === before.key)) return;
  // It is removed first: a sixth device would push out another one.
  if (known) await push.remove(before.device);
  if (!browser.allowed || (same && !known)) {
    await browser.unsubscribe();
    return;
  }
  const after = await browser.subscribe(key);
  if (after === null) {
    await browser.unsubscribe();
    return;
  }
  await push.add({ ...after.fields, language });
  await memory.write({ player, device: after.id, key, language });
}
