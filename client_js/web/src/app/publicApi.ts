/** Public data over HTTP, separate from `app.ts` so that a first visit need not load it. */

import { Api } from "@samedeal/client";
import { ROOT } from "../kit/root.ts";

export const api = new Api({ origin: ROOT });
