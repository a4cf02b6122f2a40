/** Players' names among other words, in either writing direction. */

import { describe, expect, it } from "vitest";
import { PACE_BOT } from "@samedeal/client";
import { initialsOf } from "../src/table/track/strip.ts";
import { bareName, initialOf, isolated, nameOf } from "../src/text/index.ts";

describe("a name in a sentence", () => {
  it.each(["\u05e0\u05e2\u05de\u05d9", "\u0644\u064a\u0644\u0649", "\u{1e900}\u{1e901}"])(
    "is isolated if it is written from right to left: %s",
    (name) => {
      expect(nameOf({ name, bot: false })).toBe(`\u2068${name}\u2069`);
      expect(initialOf({ name: isolated(name) })).toBe([...name][0]?.toUpperCase());
    },
  );

  it.each(["Ada", "O'Neill-Smith_2.0", "\u041e\u043b\u044c\u0433\u0430", "\u5c71\u7530", "42"])(
    "is unchanged otherwise: %s",
    (name) => {
      expect(nameOf({ name })).toBe(name);
      expect(initialOf({ name })).toBe(name[0]);
    },
  );

  it("is the page's own word for the pace bot", () => {
    expect(nameOf({ name: "whatever", bot: true, id: PACE_BOT })).toBe("Pace bot");
  });

  it("marks a player's bot", () => {
    const bot = { name: "Ada’s bot", bot: true, id: "b0t0004tq8n2rx6w" };
    expect(nameOf(bot)).toBe("Ada’s bot (bot)");
    expect(bareName(bot)).toBe("Ada’s bot");
  });
});

it.each([
  ["Ada Lovelace Byron", "AB"],
  ["Kenneth", "Ke"],
  ["ada", "Ad"],
  ["Ø", "Ø"],
  ["…", ""],
  ["🂡 jo-ann", "JA"],
])("the initials of %s are %s", (name, initials) => {
  expect(initialsOf({ name })).toBe(initials);
});
