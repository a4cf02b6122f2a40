/** The page's storage in this browser: all reads and writes go through this module. */

import { BrowserStorage } from "../../../src/storage.ts";
import { ROOT } from "./root.ts";

/** Separates this site's keys from other sites' on the same origin. */
const PREFIX = ROOT && `${ROOT}:`;

/** Permanent, until the player clears it. */
export const storage = new BrowserStorage("localStorage", PREFIX);

/** For the lifetime of the tab. */
export const tabStorage = new BrowserStorage("sessionStorage", PREFIX);
