/** The private key in the kubeconfigs that this user's commands write. */
import { type KeyObject, createPrivateKey, generateKeyPair } from "node:crypto";
import { homedir } from "node:os";
import { promisify } from "node:util";
import { OwnState } from "../../own-state.ts";

const RSA_BITS = 2048;

/**
 * Returns the key: RSA, the only kind that every client reads (fabric8 6 reads no other one without BouncyCastle). It is
 * created once and kept in the user's state folder, because creating it takes longer than a control plane takes to start.
 * Every control plane has its own authority, so a certificate for the key is accepted only by the one that issued it.
 *
 * @throws TsopError `no-state-folder`
 */
export function ownClientKey(): Promise<KeyObject> {
  const key = readOrCreate();
  // The caller starts a control plane first.
  key.catch(() => undefined);
  return key;
}

async function readOrCreate(): Promise<KeyObject> {
  const state = OwnState.about(homedir(), "client key");
  return storedKey(state.read()?.["pem"]) ?? (await newKey(state));
}

function storedKey(pem: unknown): KeyObject | undefined {
  if (typeof pem !== "string") return undefined;
  try {
    return createPrivateKey(pem);
  } catch {
    // A damaged key is replaced.
    return undefined;
  }
}

async function newKey(state: OwnState): Promise<KeyObject> {
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: RSA_BITS });
  state.write({ pem: privateKey.export({ type: "pkcs1", format: "pem" }) });
  return privateKey;
}
