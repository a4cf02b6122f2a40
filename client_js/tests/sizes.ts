/// <reference types="vite/client" />

/** The test sizes: a sample in `npm test`, everything in `npm run test:deep`. */

const DEEP = import.meta.env.MODE === "deep";

export function cases(few: number, many: number): number {
  return DEEP ? many : few;
}
