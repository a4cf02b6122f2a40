import { expect, test, vi } from "vitest";
import { onceOpened } from "../src/shell/prerendering.ts";

test("a prerendered page starts when it is opened, and only once", () => {
  const begin = vi.fn();
  const page = Object.assign(new EventTarget(), { prerendering: true });
  onceOpened(page, begin);
  expect(begin).not.toHaveBeenCalled();
  page.dispatchEvent(new Event("prerenderingchange"));
  page.dispatchEvent(new Event("prerenderingchange"));
  expect(begin).toHaveBeenCalledTimes(1);
});

test.each([{ prerendering: false }, {}])("any other page starts immediately", (state) => {
  const begin = vi.fn();
  onceOpened(Object.assign(new EventTarget(), state), begin);
  expect(begin).toHaveBeenCalledTimes(1);
});
