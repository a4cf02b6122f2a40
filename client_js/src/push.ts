/** What the player is told while no page is open, and on which devices. Loaded when first needed. */

import type { Link } from "./link.ts";
import type { AddPush, Push, QuietHours, SetPush } from "./messages.ts";

/** A browser's subscription, and the language in which it shows what it is told. */
export type PushSubscribed = AddPush;

/** What the player is told. */
export type PushTopics = SetPush["topics"];

/**
 * What the player is told; `client.push()` returns it. Each returns how it is then, and rejects with
 * a `Refusal`.
 */
export class PushCommands {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Ask on which devices the player is told what. */
  get(): Promise<Push> {
    return this.#link.askWithRetry("GetPush", {});
  }

  /** Have the player told something on this device, too. */
  add(subscribed: PushSubscribed): Promise<Push> {
    return this.#link.askWithRetry("AddPush", subscribed);
  }

  /** Tell the player nothing any more on a device, by its id. */
  remove(device: string): Promise<Push> {
    return this.#link.askWithRetry("RemovePush", { device });
  }

  /** Set what the player is told, and the hours in which nothing is. */
  set(topics: PushTopics, quiet: QuietHours | null): Promise<Push> {
    return this.#link.askWithRetry("SetPush", { topics, quiet });
  }
}
