/**
 * What tells the fields that this operator kept in an annotation from those that somebody wrote into it: keys, and the
 * definition of the kind.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { SentObject } from "../../../kube/object.ts";
import type { ResourceInfo } from "../../../kube/resource.ts";

/** The CustomResourceDefinition of a kind, as conversions need it. */
export interface ConvertedDefinition {
  /** The version in which objects are stored. */
  readonly storage: string;
  /** All versions in which objects may be stored. */
  readonly stored: readonly string[];
  /** Whether the status of that version has endpoints, and rights, of its own. */
  hasStatus(version: string): boolean;
  /** The objections of the API server to the content of an object. */
  mistakes(object: SentObject): readonly string[];
}

/** What the conversions of one kind trust. */
export interface KindTrust {
  /** The first one signs; what another one signed is trusted as well. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly definition: ConvertedDefinition;
  /** Whether the client is an API server, as far as the path of its request shows it: only then kept fields are signed. */
  readonly signs: boolean;
}

/** What conversions trust now, by the hub of the kind and the path of the request. */
export type TrustOf = (hub: ResourceInfo, path: string) => KindTrust;

export const KEY_BYTES = 32;
const MARK_BYTES = 16;

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

/** Trusts what this process signed, and no other values: for conversions without a cluster. */
export function ownTrust(): TrustOf {
  const keys = [newKey()] as const;
  return ({ version }) => ({
    keys,
    signs: true,
    definition: {
      storage: version,
      stored: [version],
      hasStatus: () => true,
      mistakes: () => ["the schema is not known"],
    },
  });
}

/**
 * What a text is signed for. It counts for this object only: one that is created anew under the same name has another
 * uid, and an object that is not in the storage yet has none.
 */
export interface Signed {
  readonly use: "fields" | "mark";
  readonly uid: string;
  /** The version whose fields are kept. */
  readonly version: string;
  /** Absent where the object is stored with the text, which then counts for all later generations. */
  readonly generation?: number | undefined;
  readonly text: string;
}

/** The signature of a text: 43 characters of base64url, and of a mark 32 digits, which a label may have. */
export function signatureOf(key: Buffer, { use, uid, version, generation, text }: Signed): string {
  const about = JSON.stringify(["tsop conversion", use, uid, version, generation ?? null]);
  const bytes = createHmac("sha256", key).update(`${about}\n${text}`).digest();
  return use === "mark" ? bytes.toString("hex", 0, MARK_BYTES) : bytes.toString("base64url");
}

/**
 * Whether a signature is ours. Between the reading of an object and the end of a write of it, its generation grows by
 * one at most; a signature of an older one is of an object that has changed since.
 */
export function isSigned(
  { keys }: Pick<KindTrust, "keys">,
  signature: string,
  { generation, ...signed }: Signed,
): boolean {
  if (signed.uid === "") return false;
  const generations = generation === undefined ? [] : [generation, generation - 1];
  const given = Buffer.from(signature);
  return keys.some((key) =>
    [undefined, ...generations].some((one) => {
      const own = Buffer.from(signatureOf(key, { ...signed, generation: one }));
      return own.length === given.length && timingSafeEqual(own, given);
    }),
  );
}
