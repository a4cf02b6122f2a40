/** Passkeys in this browser: WebAuthn, with options and credentials as JSON. */

import { Refusal } from "@samedeal/client";
import { base64url } from "./base64url.ts";
import { text } from "../text/index.ts";

/** Whether this browser has passkeys, and reads their options as JSON. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === "function" &&
    "parseCreationOptionsFromJSON" in PublicKeyCredential
  );
}

/**
 * Let the browser create a passkey. Rejects with a `Refusal` in the page's words: as
 * `passkey_cancelled`, `passkey_exists` (this device has one of the player's), or `passkey_failed`.
 */
export function createPasskey(options: string): Promise<string> {
  return prompted(["clientDataJSON", "attestationObject"], () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON,
    );
    return navigator.credentials.create({ publicKey });
  });
}

/** Let the player choose a passkey; rejects as `createPasskey` does. */
export function usePasskey(options: string): Promise<string> {
  return prompted(["clientDataJSON", "authenticatorData", "signature"], () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON,
    );
    return navigator.credentials.get({ publicKey });
  });
}

/** A credential as its fields: of the browser, or an object that an extension has made alike. */
interface Fields {
  readonly id: string;
  readonly rawId: BufferSource;
  readonly type: string;
  readonly response: Readonly<Record<string, BufferSource>>;
}

/** The credential that a prompt returns, with these fields of its response, as JSON. */
async function prompted(
  names: readonly string[],
  prompt: () => Promise<Credential | null>,
): Promise<string> {
  try {
    const found = await prompt();
    if (found === null) throw new DOMException("", "NotAllowedError");
    // Its class and `toJSON` are not asked: extensions of password managers return objects on which
    // neither works.
    const { id, rawId, type, response } = found as unknown as Fields;
    const fields = names.map((name) => [name, encoded(response[name])]);
    return JSON.stringify({
      ...{ id, rawId: encoded(rawId), type },
      response: Object.fromEntries(fields) as object,
    });
  } catch (error) {
    throw refused(error);
  }
}

/** Bytes as base64url; throws if they are none. Those of another realm are of another class. */
function encoded(bytes: BufferSource | undefined): string {
  if (bytes === undefined) throw new TypeError("The credential lacks a field.");
  return base64url(
    ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes),
  );
}

/** What the player is told of a prompt that failed: errors of extensions may be of any class. */
function refused(error: unknown): Refusal {
  const words = text.account;
  const { name } = Object(error) as { readonly name?: unknown };
  if (name === "NotAllowedError" || name === "AbortError") {
    return new Refusal("passkey_cancelled", words.cancelled);
  }
  if (name === "InvalidStateError") return new Refusal("passkey_exists", words.alreadyHere);
  console.warn("The passkey did not work.", error);
  return new Refusal("passkey_failed", words.passkeyFailed);
}
