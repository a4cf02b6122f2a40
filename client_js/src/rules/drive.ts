/**
 * Runs the driver on standard input and output until the input ends.
 *
 * `npm run driver` sets `CI=true`: otherwise vite-node exits at the end of the input, before the
 * last responses are written.
 */

import { once } from "node:events";
import { stdin, stdout } from "node:process";
import { Driver } from "./driver.ts";

const driver = new Driver();

/** Answer a line, and wait until the output has drained. */
async function answer(line: string): Promise<void> {
  if (!/[^ \t\r\n]/.test(line)) return;
  if (!stdout.write(`${JSON.stringify(driver.answer(line))}\n`)) await once(stdout, "drain");
}

let rest = "";
for await (const chunk of stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split(/\r\n|\r|\n/);
  rest = lines.pop() ?? "";
  for (const line of lines) await answer(line);
}
await answer(rest);
// The process exits at the end of this module, which would discard unflushed output.
await new Promise((resolve) => stdout.write("", resolve));
