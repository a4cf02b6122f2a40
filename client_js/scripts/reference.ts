/** Writes the methods of `Client` into the README: `npm run reference`. */

import { readFileSync, writeFileSync } from "node:fs";
import { withMethods } from "./methods.ts";

const [readme, client] = ["README.md", "src/client.ts"].map((path) => readFileSync(path, "utf8"));
writeFileSync("README.md", await withMethods(readme ?? "", client ?? ""));
