/** The driver on standard input and output, until the input ends. */

import { stdin, stdout } from "node:process";
import { Driver } from "./driver.ts";

const driver = new Driver();

function answer(line: string): void {
  if (/[^ \t\r\n]/.test(line)) stdout.write(`${JSON.stringify(driver.answer(line))}\n`);
}

let rest = "";
for await (const chunk of stdin.setEncoding("utf8")) {
  const lines = (rest + chunk).split(/\r\n|\r|\n/);
  rest = lines.pop() ?? "";
  lines.forEach(answer);
}
answer(rest);
