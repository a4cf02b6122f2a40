/** What this browser keeps for the page: all of it is read and stored here. */

import { BrowserStorage } from "../../../src/storage.ts";

/** For good, until the player clears it. */
export const storage = new BrowserStorage("localStorage");

/** As long as the tab is open. */
export const tabStorage = new BrowserStorage("sessionStorage");
