/** The worker that solves boards, so that the page stays quick meanwhile. */

import { answer } from "./answers.ts";
import type { Ask } from "./protocol.ts";

addEventListener("message", ({ data }: MessageEvent<Ask>) =>
  answer(
    data,
    (answered) => postMessage(answered),
    () => performance.now(),
  ),
);
