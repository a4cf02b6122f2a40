/** The short sentences that come up for a moment, one at a time: refusals, and what was done. */

import { Refusal } from "@samedeal/client";
import { refusalWords } from "./text/index.ts";

const SHOWN = 5000;

export class Notices {
  current = $state.raw("");
  private timer: ReturnType<typeof setTimeout> | undefined;

  say(sentence: string): void {
    this.current = sentence;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.current = ""), SHOWN);
  }

  /** Wait for a command; if it is refused, say why. Anything else is a fault and goes on. */
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
