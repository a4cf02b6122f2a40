/**
 * The path below which the page is served, such as `/games/samedeal`; empty at the origin's root.
 *
 * It is derived from the location of the page's files, which the server writes into the HTML.
 */
export const ROOT = import.meta.env.PROD
  ? new URL(import.meta.url).pathname.replace(/\/assets\/[^/]*$/, "")
  : "";
