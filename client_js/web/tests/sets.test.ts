/** The sets of a day: by crown, in order, and with the names of their dailies. */

import { games } from "@samedeal/client";
import { beforeAll, describe, expect, it } from "vitest";
import { byPlays, dailyName, setsOf, usualSets } from "../src/daily/sets.ts";
import { useLanguage } from "../src/text/index.ts";

beforeAll(() => useLanguage("en"));

describe("the sets of a day", () => {
  const classics = { crown: "classics", games: ["klondike", "spider", "freecell"] };
  const rarities = { crown: "rarities", games: ["deuces", "robert"] };
  const deal = { variant: "standard", deal: "d", commitment: "", certificate: null, best: null };
  const dealt = (...ids: string[]) => ids.map((game) => ({ ...deal, game, mine: null }));

  it("are those of its crowns, with the dealt games", () => {
    const day = { games: dealt("klondike", "deuces", "robert"), crowns: [classics, rarities] };
    expect(setsOf(day)).toEqual([{ ...classics, games: ["klondike"] }, rarities]);
  });

  it.each([[[]], [[{ crown: "", games: ["deuces", "robert"] }]]])(
    "are one set without several crowns",
    (crowns) => {
      const day = { games: dealt("deuces", "robert"), crowns };
      expect(setsOf(day)).toEqual([{ crown: "", games: ["deuces", "robert"] }]);
    },
  );

  it("are usually those of the games' listings", () => {
    const usual = usualSets();
    const dailies = games.filter(({ listing }) => listing.daily !== null).map(({ id }) => id);
    expect(usual.flatMap((each) => each.games)).toEqual(dailies);
    expect(new Set(usual.map(({ crown }) => crown)).size).toBe(usual.length);
  });

  it("are in order of what the player plays, and otherwise keep their order", () => {
    const sets = [classics, rarities];
    const order = (plays: Record<string, number>) =>
      byPlays(sets, (game) => plays[game] ?? 0).flatMap((each) => each.games);
    expect(order({})).toEqual(["klondike", "spider", "freecell", "deuces", "robert"]);
    expect(order({ freecell: 2, robert: 1 })).toEqual([
      ...["freecell", "klondike", "spider"],
      ...["robert", "deuces"],
    ]);
    expect(order({ robert: 1 })[0]).toBe("robert");
  });
});

describe("the name of a daily", () => {
  it.each([
    ["klondike", "standard", "Klondike: Draw one"],
    ["spider", "one-suit", "Spider: One suit"],
    ["spider", "standard", "Spider"],
    ["yukon", "russian", "Yukon: Built in suit"],
    ["robert", undefined, "Robert"],
    ["bridge", "standard", "bridge"],
  ])("of %s, %s is %s", (game, variant, name) => {
    expect(dailyName(game, variant)).toBe(name);
  });

  it("is translated", async () => {
    await useLanguage("de");
    expect(dailyName("spider", "one-suit")).toBe("Spider: Eine Farbe");
    await useLanguage("fr");
    expect(dailyName("klondike", "standard")).toBe("Klondike\u00a0: Une carte");
    await useLanguage("en");
  });
});
