/** The page's form of a passkey, whatever the browser or an extension returns. */

import { createContext, runInContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPasskey, usePasskey } from "../src/account/passkeys.ts";

/** A class like a browser's: its getters and methods only work on native objects. */
class Native {
  get id(): string {
    throw new TypeError("Illegal invocation");
  }
  toJSON(): unknown {
    throw new TypeError("Illegal invocation");
  }
}

const bytes = (...all: number[]) => new Uint8Array(all).buffer;
const CREATED = { clientDataJSON: bytes(1, 2), attestationObject: bytes(255, 254, 253, 252) };
const USED = { clientDataJSON: bytes(1, 2), authenticatorData: bytes(3), signature: bytes(4) };

let answer: () => unknown;
beforeEach(() => {
  const asked = () => Promise.resolve().then(() => answer());
  vi.stubGlobal("navigator", { credentials: { create: asked, get: asked } });
  vi.stubGlobal("PublicKeyCredential", {
    parseCreationOptionsFromJSON: (options: unknown) => options,
    parseRequestOptionsFromJSON: (options: unknown) => options,
  });
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function credential(response: object): object {
  return { id: "x", rawId: bytes(9), type: "public-key", response };
}

describe.each([
  ["creates", createPasskey, CREATED, { clientDataJSON: "AQI", attestationObject: "__79_A" }],
  ["uses", usePasskey, USED, { clientDataJSON: "AQI", authenticatorData: "Aw", signature: "BA" }],
])("a browser that %s a passkey", (_, prompt, response, sent) => {
  const expected = { id: "x", rawId: "CQ", type: "public-key", response: sent };

  it.each<[string, () => unknown]>([
    ["a plain object", () => credential(response)],
    [
      "a plain object with the native prototype",
      () => Object.setPrototypeOf(credential(response), Native.prototype),
    ],
    [
      "an object of another realm",
      () => {
        const all = Object.entries(response).map(([name, each]) => [
          name,
          [...new Uint8Array(each)],
        ]);
        const code = `({ id: "x", rawId: new Uint8Array([9]).buffer, type: "public-key", response:
          Object.fromEntries(${JSON.stringify(all)}.map(([k, v]) => [k, new Uint8Array(v).buffer])) })`;
        return runInContext(code, createContext());
      },
    ],
    [
      "views of bytes",
      () => ({ ...credential(response), rawId: new Uint8Array([8, 9, 8]).subarray(1, 2) }),
    ],
  ])("sends %s", async (__, found) => {
    answer = found;
    expect(JSON.parse(await prompt("{}"))).toEqual(expected);
  });

  const thrown = (error: unknown) => () => {
    throw error;
  };
  it.each<[string, () => unknown, string, string]>([
    ["nothing", () => null, "passkey_cancelled", "Nothing changed."],
    [
      "that the player does not want to",
      thrown(new DOMException("", "NotAllowedError")),
      ...(["passkey_cancelled", "Nothing changed."] as const),
    ],
    [
      "that there is one, as another realm says it",
      thrown({ name: "InvalidStateError" }),
      ...(["passkey_exists", "This device already has one of your passkeys."] as const),
    ],
    [
      "an error of its own",
      thrown(new TypeError("Cannot read properties of undefined")),
      ...(["passkey_failed", expect.stringContaining("didn’t work here")] as const),
    ],
    [
      "text in place of an error",
      thrown("no"),
      ...(["passkey_failed", expect.stringContaining("didn’t work here")] as const),
    ],
    [
      "no response",
      () => Object.setPrototypeOf({ rawId: bytes(9) }, Native.prototype),
      ...(["passkey_failed", expect.stringContaining("didn’t work here")] as const),
    ],
  ])("is refused in words if it returns %s", async (__, found, code, message) => {
    answer = found;
    await expect(prompt("{}")).rejects.toMatchObject({ name: "Refusal", code, message });
  });
});
