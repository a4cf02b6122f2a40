/**
 * Keeps the page alive while a browser translates it.
 *
 * A translator puts a `<font>` element in the place of each text. The page would then change and
 * remove texts that are not in it any more: numbers stop, and sentences stay for good. So each text
 * is put back, empty, before its translation. Once the page changes it, the translation goes, and
 * the text is there to be translated again; once the page removes it, its translation goes as well.
 *
 * What changes every second is in elements with `translate="no"`, for the translator's sake.
 */

/** What an element translates: a text of the page, and what it said. */
interface Source {
  readonly text: Text;
  readonly said: string;
}

/** Keep alive what is below a node, from now on. */
export function surviveTranslation(page: Node): void {
  const translations = new WeakMap<Node, Element>();
  const sources = new WeakMap<Node, Source>();

  function take(source: Source, font: Element): void {
    const { text } = source;
    translations.set(text, font);
    sources.set(font, source);
    text.data = "";
    font.before(text);
    observer.observe(text, { characterData: true });
  }

  function removed(node: Node, { addedNodes, previousSibling, nextSibling }: MutationRecord): void {
    const font = [...addedNodes, previousSibling, nextSibling].find(
      (other): other is Element => isFont(other) && !sources.has(other),
    );
    const source = sources.get(node);
    if (source !== undefined) {
      // The translator has put another translation there, or shows the page as it was.
      if (font !== undefined) take(source, font);
      else if (source.text.isConnected) source.text.data ||= source.said;
    } else if (node instanceof Text) {
      const translation = translations.get(node);
      if (translation !== undefined) {
        // The page has removed the text, or moved it; or the translator shows it again.
        if (!node.isConnected) translation.remove();
        else if (translation.isConnected) node.after(translation);
      } else if (font !== undefined && !node.isConnected) {
        take({ text: node, said: node.data }, font);
      }
    }
  }

  function changed(text: Node): void {
    const translation = translations.get(text);
    if (translation === undefined) return;
    translations.delete(text);
    translation.remove();
  }

  const observer = new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === "characterData") changed(record.target);
      else record.removedNodes.forEach((node) => removed(node, record));
    }
    // What was changed here is no news.
    observer.takeRecords();
  });
  observer.observe(page, { childList: true, subtree: true });
}

function isFont(node: Node | null): node is Element {
  return node instanceof Element && node.localName === "font";
}
