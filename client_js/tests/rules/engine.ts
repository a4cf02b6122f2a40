/** The Python engine in its own process, used through its driver. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { games } from "../../src/rules/catalog.ts";
import { Driver } from "../../src/rules/driver.ts";

export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The Python interpreter that can import the engine. */
export const PYTHON = process.env.PYTHON ?? ".venv/bin/python";

export class PythonEngine {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    this.#process = spawn(PYTHON, ["-m", "engine"], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#process.stdout! });
    this.#answers = lines[Symbol.asyncIterator]();
  }

  async answer(line: string): Promise<any> {
    this.#process.stdin!.write(`${line}\n`);
    return JSON.parse(await this.#next());
  }

  /** Return the answers to lines that are written together, to save round trips. */
  async answers(lines: readonly string[]): Promise<string[]> {
    this.#process.stdin!.write(lines.map((line) => `${line}\n`).join(""));
    const texts: string[] = [];
    while (texts.length < lines.length) texts.push(await this.#next());
    return texts;
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("The engine has exited.");
    return value;
  }

  end(): void {
    this.#process.stdin!.end();
  }
}

/** The engine of the test file that runs. */
export let engine: PythonEngine;

/** Start an engine for the calling file, and end it afterwards. */
export function withEngine(): void {
  beforeAll(() => {
    engine = new PythonEngine();
  });
  afterAll(() => engine.end());
}

/** A driver whose answers are compared with the engine's, in batches. */
export class Compared {
  readonly #driver = new Driver();
  readonly #lines: string[] = [];
  readonly #answers: string[] = [];

  answer(line: string): any {
    const answer = this.#driver.answer(line);
    this.#lines.push(line);
    this.#answers.push(JSON.stringify(answer));
    return answer;
  }

  /** Return the answers, or parts, that differ between driver and engine since the last call. */
  async different(
    part = (answer: any): any => answer,
  ): Promise<[ours: object[], theirs: object[]]> {
    const [lines, answers] = [this.#lines.splice(0), this.#answers.splice(0)];
    const theirs = await engine.answers(lines);
    const read = (texts: readonly string[]) =>
      lines.flatMap((line, nth) =>
        answers[nth] === theirs[nth] ? [] : [{ line, answer: part(JSON.parse(texts[nth]!)) }],
      );
    return [read(answers), read(theirs)];
  }
}

/** All variants of all games. */
export const VARIANTS = games.flatMap((game) =>
  game.variants.map((variant) => ({ game: game.id, variant: variant.id })),
);

/** Return a generator of integers below a limit, reproducible by its seed (mulberry32). */
export function seededRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Return a random seed of a deal, in hexadecimal. */
export function randomSeed(random: (limit: number) => number): string {
  return Array.from({ length: 64 }, () => random(16).toString(16)).join("");
}
