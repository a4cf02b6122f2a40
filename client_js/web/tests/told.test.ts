/** The notifications shown by the service worker. */

import { type MockInstance, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { notify } from "../src/offline/notify.ts";
import { type Told, opened, shownOf } from "../src/offline/told.ts";
import { LANGUAGES } from "../src/text/index.ts";

const TOLD: Told = {
  ...{ topic: "challenged", link: "c/abc", who: "Ada", game: "Deuces", days: 0 },
  ...{ language: "en", tag: "t" },
};

describe("a notification", () => {
  it("names challenger and game, in the device's language", () => {
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

  it("falls back to English, and to generic words for a newer server's topics", () => {
    expect(shownOf({ ...TOLD, language: "tlh" }).title).toBe("Ada challenges you");
    expect(shownOf({ ...TOLD, language: "constructor" }).title).toBe("Ada challenges you");
    const newer = { title: "Samedeal", body: "There’s something new for you." };
    expect(shownOf({ ...TOLD, topic: "newer" })).toMatchObject(newer);
  });
});

/** Return the notification of a browser for a push message; `refused` are options it rejects. */
async function shownFor(text: string | null, refused: (options: NotificationOptions) => boolean) {
  const shown: (NotificationOptions & { title: string })[] = [];
  const place = {
    ...{ scope: "https://samedeal.test/", language: "fr" },
    async show(title: string, options: NotificationOptions) {
      if (refused(options)) throw new TypeError("No such notification.");
      shown.push({ title, ...options });
    },
  };
  await notify(text === null ? null : { json: () => JSON.parse(text) as unknown }, place);
  return shown;
}

describe("a push message", () => {
  const never = () => false;
  let errors: MockInstance<typeof console.error>;
  beforeEach(() => void (errors = vi.spyOn(console, "error").mockReturnValue()));
  afterEach(() => errors.mockRestore());

  it("is shown unchanged", async () => {
    const [shown] = await shownFor(JSON.stringify(TOLD), never);
    expect(shown).toMatchObject({ title: "Ada challenges you", tag: "t", lang: "en" });
    expect(shown?.data).toBe("https://samedeal.test/c/abc");
    expect(errors).not.toHaveBeenCalled();
  });

  it.each([
    ...[null, "", "no JSON", "null", "[]", "7", '"text"', "{}"],
    ...Object.keys(TOLD).map((field) => JSON.stringify({ ...TOLD, [field]: undefined })),
    ...Object.keys(TOLD).map((field) => JSON.stringify({ ...TOLD, [field]: { a: 1 } })),
  ])("is shown and reported if it is %s", async (text) => {
    const [shown, ...more] = await shownFor(text, never);
    expect(more).toEqual([]);
    expect(shown?.title).toBe("Samedeal");
    expect(shown?.body).toMatch(/^(There’s something new|Il y a du nouveau)/);
    expect(shown?.data).toMatch(/^https:\/\/samedeal\.test\/(c\/abc)?$/);
    expect(errors).toHaveBeenCalled();
  });

  it("is reduced if the browser refuses it, which is reported", async () => {
    const shown = await shownFor(JSON.stringify(TOLD), ({ icon }) => icon !== undefined);
    expect(shown).toEqual([{ title: "Ada challenges you", body: shownOf(TOLD).body }]);
    expect(errors).toHaveBeenCalled();
    await expect(shownFor(JSON.stringify(TOLD), () => true)).rejects.toThrow(TypeError);
  });
});

describe.each(["https://samedeal.test/", "https://samedeal.test/games/samedeal/"])(
  "its link below %s",
  (scope) => {
    it("opens a screen", () => {
      expect(opened("c/abc", scope)).toBe(`${scope}c/abc`);
      expect(opened("", scope)).toBe(scope);
    });

    it.each([
      "https://evil.test/",
      "//evil.test/",
      "../../evil",
      "javascript:alert(1)",
      "http://[",
    ])("stays within the site for %s", (link) => {
      expect(opened(link, scope).startsWith(scope)).toBe(true);
    });
  },
);
