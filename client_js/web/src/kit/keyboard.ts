/** Keys by their shortcut names, on any keyboard layout. */

/** A character of another script; includes marks, which some Thai keys produce. */
const OTHER_SCRIPT = /^(?!\p{Script=Latin})[\p{L}\p{M}]$/u;

/** The `code` of a letter on a Latin layout. */
const PLACE = /^Key([A-Z])$/;

/**
 * Return an event's key: its name, such as `Enter`, or its character in lower case. On layouts of
 * another script, such as Cyrillic, return the Latin letter that is also printed on the key.
 */
export function pressedKey({ key, code }: Pick<KeyboardEvent, "key" | "code">): string {
  const letter = OTHER_SCRIPT.test(key) ? PLACE.exec(code)?.[1] : undefined;
  return letter?.toLowerCase() ?? (key.length > 1 ? key : key.toLowerCase());
}
