/** The server's own engine in a process of its own, spoken to over its driver. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The repository's own directory. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** The Python that has the engine. */
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

  /** The answer to a line. */
  async answer(line: string): Promise<any> {
    this.#process.stdin!.write(`${line}\n`);
    return JSON.parse(await this.#next());
  }

  /** The answers to many lines, as text: written at once, so that neither side waits. */
  async answers(lines: readonly string[]): Promise<string[]> {
    this.#process.stdin!.write(lines.map((line) => `${line}\n`).join(""));
    const texts: string[] = [];
    while (texts.length < lines.length) texts.push(await this.#next());
    return texts;
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("The engine has gone.");
    return value;
  }

  end(): void {
    this.#process.stdin!.end();
  }
}

/** Numbers below a limit, the same ones for the same seed (mulberry32). */
export function dice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** A seed in hexadecimal from the dice. */
export function diceSeed(roll: (limit: number) => number): string {
  return Array.from({ length: 64 }, () => roll(16).toString(16)).join("");
}
