/// <reference types="vite/client" />

/** How much the tests examine: a sample in `npm test`, all in `npm run test:deep`. */

const DEEP = import.meta.env.MODE === "deep";

/** A number of cases: few, or many in the deep tests. */
export function cases(few: number, many: number): number {
  return DEEP ? many : few;
}
