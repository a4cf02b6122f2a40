/** Compressed files beside the plain ones, for the server to send as they are. */

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What a compressed file must shrink to, as a part of its size, to be worth while. */
const WORTH = 0.9;

/** Leave files compressed beside the plain ones in `folder`. */
export function compress(folder: string): Plugin {
  return {
    name: "compress",
    apply: "build",
    closeBundle() {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const plain = readFileSync(path);
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        const packed = {
          br: brotliCompressSync(plain, { params: quality }),
          gz: gzipSync(plain, { level: constants.Z_BEST_COMPRESSION }),
        };
        for (const [suffix, bytes] of Object.entries(packed)) {
          if (bytes.length < plain.length * WORTH) writeFileSync(`${path}.${suffix}`, bytes);
        }
      }
    },
  };
}
