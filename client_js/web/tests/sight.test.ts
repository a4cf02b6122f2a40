import type { Round } from "@samedeal/client";
import { expect, it } from "vitest";
import { boardsHidden } from "../src/race/sight.ts";

it.each([
  { open: true, over: false, hidden: true },
  { open: true, over: true, hidden: false },
  { open: false, over: false, hidden: false },
  { open: false, over: true, hidden: false },
])("boards are hidden only during a public race: %o", ({ open, over, hidden }) => {
  const round: Round = {
    ...{
      number: 1,
      deal: "",
      commitment: "",
      starts: 0,
      deadline: 0,
      over,
      runners: [],
      sealed: false,
      winnable: false,
    },
    known: "",
    ...{ seed: null, game: "robert", variant: "standard", limit: 300, public: open, help: "none" },
  };
  expect(boardsHidden(round)).toBe(hidden);
});
