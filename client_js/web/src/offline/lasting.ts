/** Asks the browser to keep what the page has stored: some delete it after a week without a visit. */

import type { AttemptState, Client, TextStorage } from "@samedeal/client";

const KEY = "samedeal.lasting";

/** Milliseconds from one request to the next: some browsers ask the person each time. */
const AGAIN = 7 * 86_400_000;

/** What is asked; plain http and older browsers have none. */
type Browser = Pick<StorageManager, "persist" | "persisted">;

export class Lasting {
  readonly #client: Pick<Client, "now">;
  readonly #storage: TextStorage;
  readonly #browser: Browser | undefined;
  #asked = false;

  /** Asks once an attempt has begun: without its token, its player would be another one. */
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

  /** Ask, now that there is something to lose; once a visit, and once a week. Never rejects. */
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
      console.warn("The browser may delete what the page has stored.", error);
    }
  }
}

/** Whether it counts for the player, who has no other try. */
function hasBegun({ result }: AttemptState): boolean {
  return result.moves > 0 || result.end !== null;
}
