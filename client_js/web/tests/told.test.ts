/** What the service worker shows of what the server tells it. */

import { describe, expect, it } from "vitest";
import { type Told, opened, shownOf } from "../src/offline/told.ts";
import { LANGUAGES } from "../src/text/index.ts";

const TOLD: Told = {
  ...{ topic: "challenged", link: "c/abc", who: "Ada", game: "Deuces", days: 0 },
  ...{ language: "en", tag: "t" },
};

describe("a notification", () => {
  it("says who challenges to what, in the language of the device", () => {
    expect(shownOf(TOLD).title).toBe("Ada challenges you");
    expect(shownOf(TOLD).body).toContain("Deuces");
    expect(shownOf({ ...TOLD, language: "de" }).title).toBe("Ada fordert dich heraus");
  });

  it.each(LANGUAGES)("has words for each topic in %s", (language) => {
    const titles = ["challenged", "beaten", "streak"].map(
      (topic) => shownOf({ ...TOLD, topic, language }).title,
    );
    expect(new Set(titles).size).toBe(3);
    expect(shownOf({ ...TOLD, topic: "streak", days: 12, language }).body).toContain("12");
  });

  it("is shown in English to others, and at all if a newer server tells something else", () => {
    expect(shownOf({ ...TOLD, language: "tlh" }).title).toBe("Ada challenges you");
    expect(shownOf({ ...TOLD, topic: "newer" })).toMatchObject({ title: "Samedeal", body: "Ada" });
  });
});

describe.each(["https://samedeal.test/", "https://samedeal.test/games/samedeal/"])(
  "its link below %s",
  (scope) => {
    it("opens a screen", () => {
      expect(opened("c/abc", scope)).toBe(`${scope}c/abc`);
      expect(opened("", scope)).toBe(scope);
    });

    it.each(["https://evil.test/", "//evil.test/", "../../evil", "javascript:alert(1)"])(
      "leads nowhere else by %s",
      (link) => {
        expect(opened(link, scope).startsWith(scope)).toBe(true);
      },
    );
  },
);
