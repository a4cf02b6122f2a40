/**
 * Keeps the page working while a browser translates it.
 *
 * A translator replaces each text by a `<font>` element. The page would then change and remove
 * texts that are no longer in the document: numbers would stop, and sentences would stay forever.
 * So each text is reinserted, empty, before its translation. When the page changes it, the
 * translation is removed and the text can be translated again; when the page removes it, its
 * translation is removed too.
 *
 * Content that changes every second has `translate="no"`, to spare the translator.
 */

/** The source of a translation: a text of the page, and its previous content. */
interface Source {
  readonly text: Text;
  readonly said: string;
}

/** Keep the content below a node working, from now on. */
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
      // The translator has inserted another translation, or restored the original.
      if (font !== undefined) take(source, font);
      else if (source.text.isConnected) source.text.data ||= source.said;
    } else if (node instanceof Text) {
      const translation = translations.get(node);
      if (translation !== undefined) {
        // The page has removed or moved the text, or the translator shows it again.
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
    // Ignore the changes made here.
    observer.takeRecords();
  });
  observer.observe(page, { childList: true, subtree: true });
}

function isFont(node: Node | null): node is Element {
  return node instanceof Element && node.localName === "font";
}
