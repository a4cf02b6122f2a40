/** Vite plugin: precompress the build's files, for the server to send unchanged. */

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** The largest ratio of compressed to plain size at which a compressed file is kept. */
const MAX_RATIO = 0.9;

/** Write a `.br` and a `.gz` file next to each file in `folder` that compresses well. */
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
          if (bytes.length < plain.length * MAX_RATIO) writeFileSync(`${path}.${suffix}`, bytes);
        }
      }
    },
  };
}
