/** Keys as shortcuts name them, on any keyboard layout. */

/** What a key of another script writes: marks, too, as some keys of Thai do. */
const OTHER_SCRIPT = /^(?!\p{Script=Latin})[\p{L}\p{M}]$/u;

/** The place of a letter on a Latin layout. */
const PLACE = /^Key([A-Z])$/;

/**
 * The key of an event: its name, as in `Enter`, or what it writes, in lower case. Where the layout is
 * of another script, as a Cyrillic one, it is the Latin letter that people see on the key besides.
 */
export function pressedKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  const letter = OTHER_SCRIPT.test(key) ? PLACE.exec(code)?.[1] : undefined;
  return letter?.toLowerCase() ?? (key.length > 1 ? key : key.toLowerCase());
}
