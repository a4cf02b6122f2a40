/** Styles that come with scripts. */

/** Add a style sheet to the page. Unlike an element, that needs no exception in its policy. */
export function adopt(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
