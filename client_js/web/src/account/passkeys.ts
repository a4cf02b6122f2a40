/** Passkeys in this browser: WebAuthn, with options and credentials as JSON. */

import { Refusal } from "@samedeal/client";
import { base64url } from "./base64url.ts";
import { text } from "../text/index.ts";

/** Whether this browser supports passkeys and their options as JSON. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === "function" &&
    "parseCreationOptionsFromJSON" in PublicKeyCredential
  );
}

/**
 * Create a passkey in the browser. Rejects with a `Refusal` in the page's words:
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

/** Ask the player to choose a passkey; rejects like `createPasskey`. */
export function usePasskey(options: string): Promise<string> {
  return prompted(["clientDataJSON", "authenticatorData", "signature"], () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON,
    );
    return navigator.credentials.get({ publicKey });
  });
}

/** A credential's fields: the browser's own, or an imitation by an extension. */
interface Fields {
  readonly id: string;
  readonly rawId: BufferSource;
  readonly type: string;
  readonly response: Readonly<Record<string, BufferSource>>;
}

/** Return a prompt's credential, with these fields of its response, as JSON. */
async function prompted(
  names: readonly string[],
  prompt: () => Promise<Credential | null>,
): Promise<string> {
  try {
    const found = await prompt();
    if (found === null) throw new DOMException("", "NotAllowedError");
    // Do not use its class or `toJSON`: extensions of password managers return objects on which
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

/**
 * Encode bytes as base64url; throw for other values. No `instanceof`, because values of another
 * realm have different classes.
 */
function encoded(bytes: BufferSource | undefined): string {
  if (bytes === undefined) throw new TypeError("The credential lacks a field.");
  return base64url(
    ArrayBuffer.isView(bytes)
      ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : new Uint8Array(bytes),
  );
}

/** Return the refusal for a failed prompt: errors of extensions may be of any class. */
function refused(error: unknown): Refusal {
  const words = text.account;
  const { name } = Object(error) as { readonly name?: unknown };
  if (name === "NotAllowedError" || name === "AbortError") {
    return new Refusal("passkey_cancelled", words.cancelled);
  }
  if (name === "InvalidStateError") return new Refusal("passkey_exists", words.alreadyHere);
  console.warn("The passkey failed.", error);
  return new Refusal("passkey_failed", words.passkeyFailed);
}
