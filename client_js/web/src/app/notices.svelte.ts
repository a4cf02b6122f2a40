/** Toasts, one at a time: sentences about refusals and about what was done. */

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

  /** Await a command; if it is refused, show why and return undefined. Rethrows other errors. */
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
