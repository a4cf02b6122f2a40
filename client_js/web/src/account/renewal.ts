/** Synchronizes a push subscription that the browser has renewed or dropped. */

import type { PushCommands } from "@samedeal/client";
import type { Memory } from "../offline/remembered.ts";
import type { Subscribed } from "./push.ts";

/** This browser as a receiver of notifications. */
export interface Subscriber {
  /** Whether the person permits this site's notifications. */
  readonly allowed: boolean;
  subscribed(): Promise<Subscribed | null>;
  subscribe(key: string): Promise<Subscribed | null>;
  /** End and forget the subscription. */
  unsubscribe(): Promise<void>;
}

/**
 * Compare this browser's subscription with the remembered one and with the server's, and report a
 * change to the server.
 *
 * A subscription dropped by the browser is created again. One that the person no longer permits is
 * ended. So is an unchanged one that is missing on the server: the player removed it on another
 * device, or signed out everywhere. A previous player's subscription is ended too, so that the
 * current player does not receive those notifications.
 *
 * Rejects with a `Refusal` or the browser's error; the next call completes the rest.
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
  // A server without a key sends no notifications, perhaps only temporarily.
  if (key === null || (browser.allowed && same && known && key === before.key)) return;
  // Remove it first: a sixth device would displace another one.
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
  // Written last: if the server refuses, the next call tries again.
  await memory.write({ player, device: after.id, key, language });
}
