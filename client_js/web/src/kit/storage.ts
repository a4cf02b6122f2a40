/** What this browser keeps for the page: all of it is read and stored here. */

import { BrowserStorage } from "../../../src/storage.ts";
import { ROOT } from "./root.ts";

/** Tells what this site stores from what others on the same origin do. */
const PREFIX = ROOT && `${ROOT}:`;

/** For good, until the player clears it. */
export const storage = new BrowserStorage("localStorage", PREFIX);

/** As long as the tab is open. */
export const tabStorage = new BrowserStorage("sessionStorage", PREFIX);
