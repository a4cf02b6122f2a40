/** The server's own engine in a process of its own, spoken to over its driver. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export class PythonEngine {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor() {
    const python = process.env.PYTHON ?? ".venv/bin/python";
    this.#process = spawn(python, ["-m", "engine"], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#process.stdout! });
    this.#answers = lines[Symbol.asyncIterator]();
  }

  /** The answer to a line. */
  async answer(line: string): Promise<any> {
    this.#process.stdin!.write(`${line}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error("The engine has gone.");
    return JSON.parse(value);
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
