/** Resubscribes after the browser has renewed or dropped a push subscription. */

import { type Memory, RENEWED, deviceId } from "./remembered.ts";

/** The browser as seen by the service worker. */
export interface Surroundings {
  readonly push: Pick<PushManager, "getSubscription" | "subscribe">;
  pages(): Promise<readonly { postMessage(message: string): void }[]>;
  ask(language: string): Promise<void>;
}

/**
 * Resubscribe, if the browser has not, and let an open page report the subscription to the server.
 *
 * The service worker cannot report it: it has no session, and any credential it could use would let
 * a thief redirect the notifications. Without an open page, it asks the person to open one.
 * Withdrawn permission and ended subscriptions are respected.
 */
export async function subscribeAgain(memory: Memory, around: Surroundings): Promise<void> {
  const before = await memory.read();
  if (before === null) return;
  const now = await subscriptionBy(before.key, around.push);
  if (now !== null && (await deviceId(now.endpoint)) === before.device) return;
  const pages = await around.pages();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- Only windows have one.
  for (const page of pages) page.postMessage(RENEWED);
  if (now !== null && pages.length === 0) await around.ask(before.language);
}

async function subscriptionBy(
  key: string,
  push: Surroundings["push"],
): Promise<Pick<PushSubscription, "endpoint"> | null> {
  const now = await push.getSubscription();
  if (now !== null) return now;
  try {
    return await push.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (error) {
    console.warn("Could not resubscribe to notifications.", error);
    return null;
  }
}
