/** Toasts, one at a time: refusals and confirmations. */

import { Refusal } from "@samedeal/client";
import { refusalWords } from "../text/index.ts";

/** Milliseconds. */
const SHOWN = 5000;

export class Notices {
  current = $state.raw("");
  private timer: ReturnType<typeof setTimeout> | undefined;

  say(sentence: string): void {
    this.current = sentence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.current = ""), SHOWN);
  }

  /**
   * Await a command. If it is refused, show the reason and return undefined; rethrow other errors.
   */
  async tell<T>(command: Promise<T>): Promise<T | undefined> {
    try {
      return await command;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.say(refusalWords(error));
      return undefined;
    }
  }
}
