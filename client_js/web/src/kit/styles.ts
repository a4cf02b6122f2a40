/** Styles added by scripts. */

/** Add a style sheet; unlike a style element, a Content Security Policy permits it. */
export function adopt(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
