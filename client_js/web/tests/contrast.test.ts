/** The contrast of texts on every table and in both colour schemes, from the palette's variables. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TABLES } from "../src/app/settings.svelte.ts";

const fileOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../src/${path}`, import.meta.url)), "utf8");
const CSS = fileOf("shell/app.css");
/** The opacity of the marks on empty places. */
const MARKED = Number(
  /opacity: ([\d.]+);\s+pointer-events/.exec(fileOf("board/Place.svelte"))?.[1],
);

/** WCAG's least contrast of text. */
const READABLE = 4.5;

type Colour = readonly [red: number, green: number, blue: number, alpha: number];
type Palette = ReadonlyMap<string, string>;

/** Return the variables of the first rule with this selector. */
function variablesOf(selector: string): [string, string][] {
  const start = CSS.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`there is no rule for ${selector}`);
  const rule = CSS.slice(start, CSS.indexOf("}", start));
  return [...rule.matchAll(/(--[\w-]+): ([^;]+);/g)].map(([, name = "", value = ""]) => [
    name,
    value,
  ]);
}

/** Return the palette of a scheme: most colours have a value for each. */
function paletteOf(scheme: "light" | "dark"): Palette {
  const own = new RegExp(`var\\(--${scheme}, (#[\\da-f]{6})\\)`);
  return new Map(
    variablesOf(":root").map(([name, value]) => [name, own.exec(value)?.[1] ?? value]),
  );
}

const LIGHT = paletteOf("light");
const DARK = paletteOf("dark");

function colourOf(palette: Palette, name: string): Colour {
  const value = palette.get(name) ?? name;
  const other = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (other !== undefined) return colourOf(palette, other);
  const parts = /^rgb\((\d+) (\d+) (\d+) \/ ([\d.]+)\)$/.exec(value);
  if (parts) return parts.slice(1).map(Number) as unknown as Colour;
  if (!/^#[\da-f]{6}$/.test(value)) throw new Error(`${name} is no colour: ${value}`);
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    parseInt(value.slice(at, at + 2), 16),
  );
  return [red, green, blue, 1];
}

function over([red, green, blue, alpha]: Colour, below: Colour): Colour {
  const mixed = [red, green, blue].map(
    (part, nth) => part * alpha + (below[nth] ?? 0) * (1 - alpha),
  );
  return [...mixed, 1] as unknown as Colour;
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.slice(0, 3).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Colour, other: Colour): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(TABLES)("the %s table", (table) => {
  const palette = new Map([...LIGHT, ...variablesOf(`:root[data-table="${table}"]`)]);
  const of = (name: string) => colourOf(palette, name);

  it.each(["--felt-ink", "--felt-soft", "--brass", "#ffb9ac"])("shows %s on its bars", (text) => {
    expect(contrast(of(text), of("--felt-dark"))).toBeGreaterThanOrEqual(READABLE);
  });

  it.each(["--felt", "--felt-edge"])("shows texts and the marks of empty places on %s", (cloth) => {
    expect(contrast(of("--on-felt"), of(cloth))).toBeGreaterThanOrEqual(READABLE);
    const place = over(of("--place-fill"), of(cloth));
    const [red, green, blue] = of("--place-ink");
    const mark = over([red, green, blue, MARKED], place);
    expect(contrast(mark, place)).toBeGreaterThanOrEqual(READABLE);
  });
});

describe.each([
  ["light", LIGHT],
  ["dark", DARK],
] as const)("the %s scheme", (_, palette) => {
  const of = (name: string) => colourOf(palette, name);
  const texts = ["--ink", "--soft", "--link", "--danger", "--own"];

  it.each(texts)("shows %s on paper and panels", (text) => {
    for (const ground of ["--paper", "--surface"]) {
      expect(contrast(of(text), of(ground))).toBeGreaterThanOrEqual(READABLE);
    }
  });

  it("shows the words of its buttons", () => {
    expect(contrast(of("--on-act"), of("--act"))).toBeGreaterThanOrEqual(READABLE);
    expect(contrast(of("--on-act"), of("--act-strong"))).toBeGreaterThanOrEqual(READABLE);
    expect(contrast(of("#ffffff"), of("--deep"))).toBeGreaterThanOrEqual(READABLE);
  });
});
