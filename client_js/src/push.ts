/** Push notifications and the devices that receive them. Loaded on first use. */

import type { Link } from "./link.ts";
import type { AddPush, Push, QuietHours, SetPush } from "./messages.ts";

/** A browser's subscription, and the language of its notifications. */
export type PushSubscribed = AddPush;

export type PushTopics = SetPush["topics"];

/**
 * The push commands, from `client.push()`. Each returns the resulting settings, and rejects with a
 * `Refusal`.
 */
export class PushCommands {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Return the devices and their topics. */
  get(): Promise<Push> {
    return this.#link.askWithRetry("GetPush", {});
  }

  /** Subscribe this device. */
  add(subscribed: PushSubscribed): Promise<Push> {
    return this.#link.askWithRetry("AddPush", subscribed);
  }

  /** Unsubscribe a device by its id. */
  remove(device: string): Promise<Push> {
    return this.#link.askWithRetry("RemovePush", { device });
  }

  /** Set the topics, and the quiet hours without notifications. */
  set(topics: PushTopics, quiet: QuietHours | null): Promise<Push> {
    return this.#link.askWithRetry("SetPush", { topics, quiet });
  }
}
