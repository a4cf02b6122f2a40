/** What the service worker does when the browser has renewed or dropped a subscription. */

import { type Memory, RENEWED, deviceId } from "./remembered.ts";

/** The browser, as the service worker sees it. */
export interface Surroundings {
  /** What push services know of this browser. */
  readonly push: Pick<PushManager, "getSubscription" | "subscribe">;
  /** The pages that are open. */
  pages(): Promise<readonly { postMessage(message: string): void }[]>;
  /** Ask the person to open the page, in a language. */
  ask(language: string): Promise<void>;
}

/**
 * Subscribe again, if the browser has not, and have an open page tell the server of it.
 *
 * The service worker cannot: it has no session, and what it could show instead would let whoever
 * has it redirect what the player is told. Without an open page, the person is asked for one. What
 * the person does not allow any more, or has ended, stays so.
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
    console.warn("The browser does not subscribe again.", error);
    return null;
  }
}
