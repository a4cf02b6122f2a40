/** Set-up of all tests. */

import { afterEach } from "vitest";

// On a busy machine, a file of synchronous tests would keep a worker from answering Vitest for more
// than a minute, which counts as an error.
afterEach(() => new Promise((resolve) => void setImmediate(resolve)));
