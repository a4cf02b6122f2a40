/** The solvers in their workers, loaded on first use. */

import { trustedScript } from "../kit/trusted.ts";
import { Solver, type Start } from "./asking.ts";
import type { Answer } from "./protocol.ts";
// oxlint-disable-next-line import/default -- Vite makes it.
import url from "./worker.ts?worker&url";

const start: Start = (told, broke) => {
  // Built into a single file, which older browsers can run too.
  const worker = new Worker(trustedScript(url), {
    type: import.meta.env.DEV ? "module" : "classic",
  });
  worker.onmessage = ({ data }: MessageEvent<Answer>) => told(data);
  worker.onerror = broke;
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A worker has none.
    send: (ask) => worker.postMessage(ask),
    end: () => worker.terminate(),
  };
};

export const solver = new Solver(start);

/** For deals found in advance, which must not interrupt other questions. */
export const dealFinder = new Solver(start);
