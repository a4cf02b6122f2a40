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

  /** Copy words to the clipboard, and say so or that it failed; return whether it worked. */
  async copy(words: string, copied: string, failed: string): Promise<boolean> {
    // Pages over plain HTTP have no clipboard, and a browser may refuse access.
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      this.say(failed);
      return false;
    }
    this.say(copied);
    return true;
  }

  /** Await a command; after a refusal, show the reason and return undefined. */
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
