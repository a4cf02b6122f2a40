/** Set-up of all tests. */

import { afterEach } from "vitest";

// Synchronous tests of a whole file would keep a worker from answering Vitest for longer than the
// minute after which that counts as an error, on a busy machine.
afterEach(() => new Promise((resolve) => void setImmediate(resolve)));
