/**
 * The figures on the court cards: each is half a figure that ends at the middle of its card.
 *
 * The card's middle is (0, 0), with the figure above it: x from -84 to 84, y from -146 to 8. A card
 * shows it twice, rotated by 180 degrees, cut along the line from (-84, 8) to (84, -8). Suit
 * colours are CSS variables, so that a four-colour deck uses the same figures: `--main` and
 * `--second` for clothes and hair, `--light` behind them.
 */

import { beads, bodice, chain, collar, ermine, quilted, robe, ruff, slashes } from "./clothes.ts";
import {
  spiked,
  arched,
  lilies,
  turban,
  tiara,
  coronet,
  diadem,
  hood,
  beret,
  tall,
  drooping,
  flat,
} from "./hats.ts";
import {
  type Person,
  beardCurled,
  beardForked,
  beardLong,
  beardShort,
  bob,
  braids,
  brows,
  bun,
  cheeks,
  crop,
  curls,
  fringe,
  head,
  longHair,
  mouth,
  neck,
  parting,
} from "./heads.ts";
import {
  sword,
  sceptre,
  axe,
  orb,
  rose,
  lily,
  fan,
  clover,
  lute,
  horn,
  arrow,
  torch,
} from "./held.ts";
import { INK, MAIN, at, both, path } from "./pen.ts";

const PEOPLE: Readonly<Record<string, Person>> = {
  KS: { skin: "#ecc7a2", shade: "#c98f6b", hair: "#dfe6ee", look: -1 },
  KH: { skin: "#f7dcc4", shade: "#e29a7f", hair: "#d9642c", look: 1 },
  KD: { skin: "#8f5a3a", shade: "#6d3f26", hair: "#2a2230", look: -1 },
  KC: { skin: "#d8a679", shade: "#b37a50", hair: "#5b3a29", look: 1 },
  QS: { skin: "#f3d6bb", shade: "#d79a7c", hair: "#20283c", look: 1 },
  QH: { skin: "#f7dcc4", shade: "#e29a7f", hair: "#e3a63a", look: -1 },
  QD: { skin: "#a96c45", shade: "#7f4a2b", hair: "#33211f", look: 1 },
  QC: { skin: "#e3b488", shade: "#bd8257", hair: "#a5482a", look: -1 },
  JS: { skin: "#c98f62", shade: "#a06a42", hair: "#2b2431", look: 1 },
  JH: { skin: "#f7dcc4", shade: "#e29a7f", hair: "#e0b04a", look: -1 },
  JD: { skin: "#ecc7a2", shade: "#c98f6b", hair: "#7a4526", look: -1 },
  JC: { skin: "#7d4d31", shade: "#5f3721", hair: "#241d29", look: 1 },
};

function person(name: string): Person {
  const found = PEOPLE[name];
  if (found === undefined) throw new RangeError(`There is no court ${name}.`);
  return found;
}

function hairOf(name: string): string {
  return person(name).hair;
}

function king(name: string, crown: string, beard: string, front: string, held: string): string {
  const who = person(name);
  const locks = both(path("M-24-92C-36-80-36-58-30-46C-22-42-19-52-21-64Z", who.hair));
  return (
    held +
    robe(front) +
    locks +
    head(who, 18) +
    brows(who, who.hair === "#dfe6ee" ? "#9aa6b5" : who.hair, 0) +
    beard +
    crown
  );
}

function queen(
  name: string,
  hairBehind: string,
  hairBefore: string,
  crown: string,
  front: string,
  held: string,
): string {
  const who = person(name);
  return (
    hairBehind +
    robe(front) +
    neck(who.skin) +
    head(who, 12) +
    cheeks(who) +
    brows(who, INK, 1) +
    at(3 * who.look, -50, 0, path("M-7 0Q-3-4 0-2Q3-4 7 0Q0 7-7 0Z", MAIN)) +
    hairBefore +
    crown +
    held
  );
}

function jack(name: string, hair: string, hat: string, front: string, held: string): string {
  const who = person(name);
  return (
    held +
    robe(front) +
    neck(who.skin) +
    hair +
    head(who, 14) +
    brows(who, who.hair, 0) +
    mouth(who, who.look > 0 ? "M-6-1Q2 5 8-2" : "M6-1Q-2 5-8-2", MAIN) +
    hat
  );
}

/** Each court's half figure by name, such as `KS`. */
export const COURTS: Readonly<Record<string, string>> = {
  KS: king("KS", arched(), beardLong(hairOf("KS")), ermine(), at(-58, -22, -8, sword())),
  KH: king(
    "KH",
    spiked(),
    beardForked(hairOf("KH")),
    quilted() + chain(),
    at(56, -14, 10, sceptre()),
  ),
  KD: king("KD", turban(), beardShort(hairOf("KD")), ermine(), at(-56, -18, -6, axe())),
  KC: king("KC", lilies(), beardCurled(hairOf("KC")), slashes() + chain(), at(56, -44, 6, orb())),
  QS: queen(
    "QS",
    longHair(hairOf("QS")),
    parting(hairOf("QS")),
    coronet(),
    bodice() + beads(),
    at(57, -62, 8, lily()),
  ),
  QH: queen(
    "QH",
    curls(hairOf("QH")),
    fringe(hairOf("QH")),
    tiara(),
    bodice() + beads(),
    at(-58, -60, -8, rose()),
  ),
  QD: queen(
    "QD",
    bun(hairOf("QD")),
    parting(hairOf("QD")),
    diadem(),
    ruff(),
    at(56, -56, 10, fan()),
  ),
  QC: queen(
    "QC",
    braids(hairOf("QC")),
    fringe(hairOf("QC")),
    hood(),
    bodice() + beads(),
    at(-58, -64, -6, clover()),
  ),
  JS: jack("JS", bob(hairOf("JS")), beret(1), slashes() + collar(), at(58, -34, 12, lute())),
  JH: jack("JH", bob(hairOf("JH")), flat(-1), quilted() + collar(), at(-56, -46, -6, horn())),
  JD: jack("JD", crop(hairOf("JD")), drooping(-1), slashes() + collar(), at(58, -26, 8, arrow())),
  JC: jack("JC", crop(hairOf("JC")), tall(1), quilted() + ruff(), at(-56, -24, -8, torch())),
};
