/** The check of addresses that programs are given. */

/**
 * Throw a `TypeError` unless an address starts with one of these schemes.
 *
 * @param schemes such as `wss:`, the recommended one first.
 */
export function requireScheme(url: string, schemes: readonly string[]): void {
  if (schemes.some((scheme) => url.toLowerCase().startsWith(`${scheme}//`))) return;
  throw new TypeError(`The address must start with ${schemes.join("// or ")}//: ${url}`);
}
