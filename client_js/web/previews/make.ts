/**
 * Generates the images of link previews (`og:image`).
 *
 *     npx vite-node web/previews/make.ts
 *
 * It writes `public/preview.png`, and `public/preview-<game>.png` for each game. It needs the rules
 * (`npm run generate`) and Chromium, from `CHROMIUM` or the PATH.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HEIGHT, WIDTH, pictures } from "./pictures.ts";
import { withFewColours } from "./png.ts";

const PUBLIC = fileURLToPath(new URL("../public", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "samedeal-previews-"));
for (const [name, html] of pictures()) {
  const page = join(folder, "page.html");
  const shot = join(folder, "shot.png");
  writeFileSync(page, html);
  execFileSync(
    process.env.CHROMIUM ?? "chromium",
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      `--user-data-dir=${join(folder, "profile")}`,
      `--window-size=${WIDTH},${HEIGHT}`,
      `--screenshot=${shot}`,
      `file://${page}`,
    ],
    { stdio: "ignore", timeout: 60_000 },
  );
  const png = withFewColours(readFileSync(shot));
  writeFileSync(join(PUBLIC, name), png);
  console.log(`${name}: ${png.length} bytes`);
}
rmSync(folder, { recursive: true });
