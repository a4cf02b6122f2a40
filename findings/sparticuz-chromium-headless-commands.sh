#!/bin/sh
# @sparticuz/chromium 153.0.0: the packed Chromium ignores `--dump-dom`, `--screenshot` and
# `--print-to-pdf`.
#
# One would expect of a headless shell that it writes what it is asked for and ends, as Debian's
# `chromium-headless-shell` does. It says nothing, writes nothing and stays open, as if the option
# were not there. So these are no check of whether it starts; that it answers on the port for
# debugging is one, and over that port everything works.
#
# Observed: with each of the options the page is loaded, with its title, and nothing is written.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# It unpacks itself there.
export TMPDIR="$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @sparticuz/chromium@153.0.0 || exit 2
cat >look.mjs <<'JS'
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import chromium from "@sparticuz/chromium";

const program = await chromium.executablePath();
const written = ["page.png", "page.pdf"];
for (const option of ["--dump-dom", `--screenshot=${written[0]}`, `--print-to-pdf=${written[1]}`]) {
  const profile = mkdtempSync("profile-");
  const given = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"];
  const page = "data:text/html,<title>A page</title><p>Its text";
  const browser = spawn(program, [...given, `--user-data-dir=${profile}`, option, page]);
  let printed = "";
  browser.stdout.on("data", (some) => (printed += some));
  let titles = [];
  for (let left = 100; left > 0 && !titles.includes("A page"); left--) {
    await wait(100);
    if (!existsSync(`${profile}/DevToolsActivePort`)) continue;
    const [port] = readFileSync(`${profile}/DevToolsActivePort`, "utf8").split("\n");
    titles = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()).map((each) => each.title);
  }
  // As long again as any of them takes elsewhere.
  await wait(3_000);
  const name = option.split("=")[0];
  const found = { title: titles[0], printed: printed.length, files: written.filter(existsSync).length };
  console.log("@sparticuz/chromium 153.0.0", name, JSON.stringify(found), "runs:", browser.exitCode === null);
  if (found.title !== "A page" || found.printed || found.files || browser.exitCode !== null) process.exitCode = 1;
  browser.kill("SIGKILL");
}
JS
node look.mjs
