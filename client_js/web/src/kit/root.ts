/**
 * The path that the page lies below, as `/games/samedeal`; empty if it has an origin of its own.
 *
 * It follows from where the page's files are, which the server says in the HTML.
 */
export const ROOT = import.meta.env.PROD
  ? new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, "")
  : "";
