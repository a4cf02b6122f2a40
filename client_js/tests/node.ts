/** A real server in its own process. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PYTHON, ROOT } from "./rules/engine.ts";

export class ServerNode {
  /** In the system's temporary folder, because the path of Redis's socket must be short. */
  readonly #data = mkdtempSync(join(tmpdir(), "samedeal"));
  readonly #process: ChildProcess;

  constructor() {
    const options = ["--port", "0", "--host", "127.0.0.1", "--log-format", "json"];
    this.#process = spawn(
      PYTHON,
      ["-m", "tests.unhurried", "serve", "--no-certify", "--data", this.#data, ...options],
      {
        cwd: ROOT,
        stdio: ["ignore", "inherit", "pipe"],
      },
    );
  }

  /** Wait until it listens; return `127.0.0.1` with its port. */
  async host(): Promise<string> {
    for await (const line of createInterface({ input: this.#process.stderr! })) {
      const { event, port } = JSON.parse(line) as { event: string; port?: number };
      if (event === "listening") return `127.0.0.1:${port}`;
    }
    throw new Error("The server exited before it listened.");
  }

  async stop(): Promise<void> {
    this.#process.stderr!.resume();
    this.#process.kill();
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    rmSync(this.#data, { recursive: true, force: true });
  }
}
