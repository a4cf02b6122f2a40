/** The page's sounds, loaded on demand because most players keep them off. */

import { Later } from "../../../src/later.ts";
import type { Synthesizer } from "./synthesizer.ts";

/** A sound's name and its arguments. */
type Sound = {
  [Name in keyof Synthesizer]: [name: Name, ...given: Parameters<Synthesizer[Name]>];
}[keyof Synthesizer];

export class Sounds {
  readonly #wanted: () => boolean;
  readonly #synthesizer = new Later(
    async () => new (await import("./synthesizer.ts")).Synthesizer(),
  );

  /** `wanted` returns whether sound is on. */
  constructor(wanted: () => boolean) {
    this.#wanted = wanted;
  }

  /** Play a sound if sound is on; the first one loads the synthesizer. */
  play(...sound: Sound): void {
    if (this.#wanted()) void this.#play(sound);
  }

  async #play([name, ...given]: Sound): Promise<void> {
    try {
      const synthesizer = await this.#synthesizer.get();
      (synthesizer[name] as (...given: unknown[]) => void).apply(synthesizer, given);
    } catch (error) {
      console.warn("Could not play a sound.", error);
    }
  }
}
