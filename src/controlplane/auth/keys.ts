/** The keys of a control plane that outlives its process: existing kubeconfigs keep access. */
import { type KeyObject, createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../clock.ts";
import { seededKey } from "../../kube/x509/seeded-keys.ts";

/** The private keys, and the certificate of the first. */
export interface ClusterKeys {
  readonly authority: KeyObject;
  readonly tokens: KeyObject;
  /** The authority's certificate, PEM; absent until it is made. */
  readonly certificate?: string;
}

const FILE = "keys.json";

/** A new private key; with a seeded clock, the one that the seed determines. */
export function newKey(clock: Clock): KeyObject {
  return clock.seededBytes
    ? seededKey(clock.seededBytes.bind(clock))
    : generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}

export function createKeys(clock: Clock): ClusterKeys {
  return { authority: newKey(clock), tokens: newKey(clock) };
}

/** The keys of a data directory; `undefined` when it has none yet. */
export function loadKeys(folder: string): ClusterKeys | undefined {
  const file = join(folder, FILE);
  if (!existsSync(file)) return undefined;
  const stored = JSON.parse(readFileSync(file, "utf8")) as Record<
    "authority" | "tokens" | "certificate",
    string
  >;
  return {
    authority: createPrivateKey(stored.authority),
    tokens: createPrivateKey(stored.tokens),
    certificate: stored.certificate,
  };
}

/** Writes keys to a data directory, readable for its owner only; all of them or none. */
export function saveKeys(folder: string, keys: Required<ClusterKeys>): void {
  const pem = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
  const { authority, tokens, certificate } = keys;
  const text = JSON.stringify({ authority: pem(authority), tokens: pem(tokens), certificate });
  const file = join(folder, FILE);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  // Removed and created: not through a link of that name, and never readable for others.
  rmSync(`${file}.new`, { force: true });
  writeFileSync(`${file}.new`, text, { mode: 0o600, flag: "wx" });
  renameSync(`${file}.new`, file);
}
