/**
 * Trusted Types: browsers that have them refuse text as HTML or as a script's URL, except from the
 * policies that the page's headers name. This one lets through what is made here, of no input.
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

/** A drawing of the page's own, as HTML; text of others must never get here. */
export function trustedDrawing(svg: string): string {
  return policy.createHTML(svg);
}

/** The URL of a script of this build; one that others have named must never get here. */
export function trustedScript(url: string): string {
  return policy.createScriptURL(url);
}

/** The URL of the service worker. */
export const WORKER_URL = trustedScript(`${ROOT}/sw.js`);
