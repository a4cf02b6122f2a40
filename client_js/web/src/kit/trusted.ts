/**
 * Trusted Types: supporting browsers reject strings as HTML or script URLs, except from policies
 * named in the page's headers. This policy is for content created here, independent of any input.
 */

import { ROOT } from "./root.ts";

interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

declare const trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;

const rules: Policy = { createHTML: (html) => html, createScriptURL: (url) => url };
const policy =
  typeof trustedTypes === "undefined" ? rules : trustedTypes.createPolicy("samedeal", rules);

/** Return one of the page's drawings as HTML. Never pass user-supplied text to this function. */
export function trustedDrawing(svg: string): string {
  return policy.createHTML(svg);
}

/** Return the URL of a script of this build. Never pass a user-supplied URL to this function. */
export function trustedScript(url: string): string {
  return policy.createScriptURL(url);
}

export const WORKER_URL = trustedScript(`${ROOT}/sw.js`);
