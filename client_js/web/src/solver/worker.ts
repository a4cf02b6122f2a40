/** The worker that solves boards, which keeps the page responsive. */

import { answer } from "./answers.ts";
import type { Ask } from "./protocol.ts";

addEventListener("message", ({ data }: MessageEvent<Ask>) =>
  answer(data, (answered) => postMessage(answered)),
);
