/** Passkeys in this browser: WebAuthn, with options and credentials as JSON. */

/** Whether this browser has passkeys, in a form that needs no conversion here. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential === "function" &&
    "parseCreationOptionsFromJSON" in PublicKeyCredential
  );
}

/** Let the browser create a passkey; rejects with a `DOMException` if the player does not. */
export async function createPasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    JSON.parse(options) as PublicKeyCredentialCreationOptionsJSON,
  );
  return inJson(await navigator.credentials.create({ publicKey }));
}

/** Let the player choose a passkey; rejects with a `DOMException` if the player does not. */
export async function usePasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    JSON.parse(options) as PublicKeyCredentialRequestOptionsJSON,
  );
  return inJson(await navigator.credentials.get({ publicKey }));
}

function inJson(credential: Credential | null): string {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException("", "NotAllowedError");
  return JSON.stringify(credential);
}
