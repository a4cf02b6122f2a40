/** Vite plugin: component styles as style sheets that scripts add to the page. */

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ADOPT = fileURLToPath(new URL("../src/kit/styles.ts", import.meta.url));

const STYLES = /^import "(.+?\.svelte)\?(svelte&type=style&lang\.css)";$/m;

/**
 * Include each component's styles in its script, so that a page loads only the styles it needs.
 * Svelte's own way of injecting them uses elements, which a policy without inline styles blocks.
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
