/** Asks the browser to persist the page's storage: some delete it after a week without a visit. */

import type { AttemptState, Client, TextStorage } from "@samedeal/client";

const KEY = "samedeal.lasting";

/** Milliseconds between requests: some browsers prompt the person each time. */
const AGAIN = 7 * 86_400_000;

/** The part of the API used here, missing over plain HTTP and in older browsers. */
type Browser = Pick<StorageManager, "persist" | "persisted">;

export class Lasting {
  readonly #client: Pick<Client, "now">;
  readonly #storage: TextStorage;
  readonly #browser: Browser | undefined;
  #asked = false;

  /** Ask once an attempt has started: without the token, the browser would be another player. */
  constructor(
    client: Pick<Client, "attempt" | "now">,
    storage: TextStorage,
    browser: Browser | undefined,
  ) {
    this.#client = client;
    this.#storage = storage;
    this.#browser = browser;
    client.attempt.subscribe((attempt) => {
      if (attempt !== null && hasBegun(attempt)) void this.ask();
    });
  }

  /** Ask now that there is something to lose, once per visit and once per week. Never rejects. */
  async ask(): Promise<void> {
    if (this.#asked || this.#browser === undefined) return;
    this.#asked = true;
    const now = this.#client.now();
    if (now < Number(this.#storage.getItem(KEY)) + AGAIN) return;
    try {
      if (await this.#browser.persisted()) return;
      this.#storage.setItem(KEY, String(now));
      await this.#browser.persist();
    } catch (error) {
      console.warn("The browser may delete the page's storage.", error);
    }
  }
}

/** Whether the attempt counts for the player, who cannot repeat it. */
function hasBegun({ result }: AttemptState): boolean {
  return result.moves > 0 || result.end !== null;
}
