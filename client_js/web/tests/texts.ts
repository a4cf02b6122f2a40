/** The page's messages, in English, for all tests. */

import { useLanguage, withOwnText, withText } from "../src/text/index.ts";

await useLanguage("en");
await withText(Promise.resolve());
await withOwnText("spoken", Promise.resolve());
