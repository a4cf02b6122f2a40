/** Styles added by scripts. */

/**
 * Add a style sheet to the page. Unlike a style element, it needs no exception in the Content
 * Security Policy.
 */
export function adopt(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
