/**
 * Codes in what people type and paste: those of rooms, and those by which players sign in.
 *
 * The server has the same characters (`server/base/core/ids.py`). What cannot be a code is found
 * here, so that nobody is charged with a guess for it.
 */

const ROOM = "[2-9A-HJ-NP-Z]";
const SIGN_IN = "[0-9A-Z]";
/** Letters that sign-in codes do not have, and the digits that they look like. */
const MISREAD: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" };
/** What may stand between the groups of a code. */
const APART = "[\\s\\p{Pd}_.]*";

/** No part of a longer word, of a host's name or of a path. */
const [BEGIN, END] = ["(?<![0-9A-Z./@])", "(?![0-9A-Z]|[.@][0-9A-Z])"];

/** Both halves of a room's code stand together, or apart. */
const ROOM_CODES = [
  new RegExp(`/(?:r|watch)/(${ROOM}{4}${APART}${ROOM}{4})(?![0-9A-Z])`, "gu"),
  new RegExp(`${BEGIN}(${ROOM}{8})${END}`, "gu"),
  new RegExp(`${BEGIN}(${ROOM}{4}[\\p{Pd}_.]${ROOM}{4})${END}`, "gu"),
  new RegExp(`${BEGIN}(${ROOM}{4}${APART}${ROOM}{4})${END}`, "gu"),
];

const SIGN_IN_CODES = [
  new RegExp(`#(${SIGN_IN}{10,20})(?![0-9A-Z])`, "gu"),
  new RegExp(`${BEGIN}(${SIGN_IN}{4}(?:${APART}${SIGN_IN}{4}){4})${END}`, "gu"),
  new RegExp(`${BEGIN}(${SIGN_IN}{5}${APART}${SIGN_IN}{5})${END}`, "gu"),
];

/**
 * The room code in what was typed or pasted: in any case and width, with spaces, hyphens, quotes or
 * invisible characters, in a sentence or a link. Without one, all of its letters and digits.
 */
export function roomCode(typed: string): string {
  const text = normalised(typed);
  return bare(foundIn(text, ROOM_CODES) ?? text);
}

/** Whether this may be the code of a room. */
export function isRoomCode(code: string): boolean {
  return new RegExp(`^${ROOM}{8}$`, "u").test(code);
}

/** The code by which somebody signs in, in what was typed or pasted; null if there is none. */
export function signInCode(typed: string): string | null {
  const text = normalised(typed);
  const code = bare(foundIn(text, SIGN_IN_CODES) ?? text).toLowerCase();
  if (code.length !== 10 && code.length !== 20) return null;
  const read = code.replace(/[oil]/g, (letter) => MISREAD[letter] ?? letter);
  return /^[0-9a-hjkmnp-tv-z]+$/.test(read) ? read : null;
}

/** Capitals of one width, without what is not seen; a link's characters are not escaped. */
function normalised(typed: string): string {
  return unescaped(typed)
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Mn}]/gu, "")
    .toUpperCase()
    .replace(/\/(R|WATCH)\//g, (path) => path.toLowerCase());
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the first of these patterns finds, with a digit if one does, since few words have one. */
function foundIn(text: string, codes: readonly RegExp[]): string | null {
  const found = codes.flatMap((code) => [...text.matchAll(code)].map(([, each = ""]) => each));
  return found.find((each) => /\d/.test(each)) ?? found[0] ?? null;
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
