/** The page's messages, in English, for all tests. */

import { useLanguage, withText } from "../src/text/index.ts";

await useLanguage("en");
await withText(Promise.resolve());
