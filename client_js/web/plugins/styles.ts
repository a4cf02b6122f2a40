/** Vite plugin: the styles of components as style sheets that scripts add to the page. */

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ADOPT = fileURLToPath(new URL("../src/kit/styles.ts", import.meta.url));

/** The import by which a compiled component asks for its styles. */
const STYLES = /^import "(.+?\.svelte)\?(svelte&type=style&lang\.css)";$/m;

/**
 * Have each component bring its styles along in its script, so that no page loads those of what it
 * does not show. Svelte can do that too, but by elements that a policy without inline styles blocks.
 */
export function styles(): Plugin {
  return {
    name: "styles",
    apply: "build",
    enforce: "post",
    transform(code, id) {
      if (!id.endsWith(".svelte")) return null;
      const adopting = `import { adopt } from "${ADOPT}";import css from "$1?inline&$2";adopt(css);`;
      return { code: code.replace(STYLES, adopting), map: null };
    },
  };
}
