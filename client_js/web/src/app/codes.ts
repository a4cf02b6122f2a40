/**
 * Codes in typed or pasted text: room codes and sign-in codes.
 *
 * The server uses the same characters (`server/base/core/ids.py`). Text that cannot be a code is
 * rejected here, so that a typing error does not count as a guess.
 */

const ROOM = "[2-9A-HJ-NP-Z]";
const SIGN_IN = "[0-9A-Z]";
/** Letters that sign-in codes do not contain, and the similar digits. */
const MISREAD: Readonly<Record<string, string>> = { o: "0", i: "1", l: "1" };
/** Separators permitted between the groups of a code. */
const APART = "[\\s\\p{Pd}_.]*";

/** Boundaries that exclude parts of longer words, host names and paths. */
const [BEGIN, END] = ["(?<![0-9A-Z./@])", "(?![0-9A-Z]|[.@][0-9A-Z])"];

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
 * Return the room code in typed or pasted text: in any case and width, with spaces, hyphens, quotes
 * or invisible characters, in a sentence or a link. Without a code, return the text's letters and
 * digits.
 */
export function roomCode(typed: string): string {
  const text = normalised(typed);
  return bare(foundIn(text, ROOM_CODES) ?? text);
}

export function isRoomCode(code: string): boolean {
  return new RegExp(`^${ROOM}{8}$`, "u").test(code);
}

/** Return the sign-in code in typed or pasted text, or null. */
export function signInCode(typed: string): string | null {
  const text = normalised(typed);
  const code = bare(foundIn(text, SIGN_IN_CODES) ?? text).toLowerCase();
  if (code.length !== 10 && code.length !== 20) return null;
  const read = code.replace(/[oil]/g, (letter) => MISREAD[letter] ?? letter);
  return /^[0-9a-hjkmnp-tv-z]+$/.test(read) ? read : null;
}

/** Return text in normal capitals, without invisible characters or escapes of links. */
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

/** Return the first match with a digit, which few words contain, or else the first match. */
function foundIn(text: string, codes: readonly RegExp[]): string | null {
  const found = codes.flatMap((code) => [...text.matchAll(code)].map(([, each = ""]) => each));
  return found.find((each) => /\d/.test(each)) ?? found[0] ?? null;
}

function bare(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
