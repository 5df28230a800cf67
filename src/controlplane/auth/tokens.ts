/**
 * Tokens of service accounts: signed JSON web tokens, as the API server issues and verifies them.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/
 */
import type { SentObject } from "../../kube/object.ts";
import type { CollectionName, ObjectSource } from "../resource-name.ts";
import { type KeyObject, createHash, createPublicKey, sign, verify } from "node:crypto";
import type { Clock } from "../../clock.ts";
import { isJsonObject } from "../../kube/json.ts";
import { repeatableSignature } from "../../kube/x509/seeded-keys.ts";
import type { User } from "../kinds.ts";

/** The issuer of tokens, which is also the audience of the API itself. */
export const ISSUER = "https://kubernetes.default.svc.cluster.local";

const SECRET_ISSUER = "kubernetes/serviceaccount";
const SECRET_CLAIM = "kubernetes.io/serviceaccount/";

/** The object that a token is bound to: the token is invalid once the object is gone. */
export interface BoundObject {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface Claims {
  readonly aud: readonly string[];
  /** In seconds since the epoch; absent for a token in a Secret, which does not expire. */
  readonly exp: number;
  /** Absent in the tokens of Secrets. */
  readonly jti?: string;
  /** The Secret that the token must be in. */
  readonly secret?: string;
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly bound: readonly BoundObject[];
}

/** The user of a token, or why it is not valid. */
export type TokenVerdict =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly error: string };

/** The service account of a token. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What a token is issued for. */
interface TokenTerms {
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly id: string;
  readonly bound?: BoundObject;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Issues tokens, and verifies them. */
export class TokenAuthority {
  readonly #clock: Clock;
  readonly #source: ObjectSource;
  readonly #key: KeyObject;
  readonly #keyId: string;

  /** @param key - an EC private key */
  constructor(clock: Clock, source: ObjectSource, key: KeyObject) {
    this.#clock = clock;
    this.#source = source;
    this.#key = key;
    this.#keyId = createHash("sha256")
      .update(createPublicKey(this.#key).export({ type: "spki", format: "der" }))
      .digest("base64url");
  }

  /** The public key as a JSON web key set. */
  keySet(): object {
    const { kty, crv, x, y } = createPublicKey(this.#key).export({ format: "jwk" });
    return { keys: [{ use: "sig", kty, kid: this.#keyId, alg: "ES256", crv, x, y }] };
  }

  /** A token for a service account, valid for some seconds. */
  issue(
    { namespace, name, uid }: TokenSubject,
    { audiences, seconds, id, bound }: TokenTerms,
  ): string {
    const now = Math.floor(this.#clock.now() / 1000);
    return this.#signed({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: ISSUER,
      jti: id,
      "kubernetes.io": {
        namespace,
        ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
        serviceaccount: { name, uid },
      },
      nbf: now,
      sub: serviceAccountUser(namespace, name).name,
    });
  }

  /** A token that is valid as long as the Secret that holds it. */
  issueForSecret({ namespace, name, uid }: TokenSubject, secret: string): string {
    return this.#signed({
      iss: SECRET_ISSUER,
      [`${SECRET_CLAIM}namespace`]: namespace,
      [`${SECRET_CLAIM}secret.name`]: secret,
      [`${SECRET_CLAIM}service-account.name`]: name,
      [`${SECRET_CLAIM}service-account.uid`]: uid,
      sub: serviceAccountUser(namespace, name).name,
    });
  }

  #signed(payload: object): string {
    const text = `${encode({ alg: "ES256", kid: this.#keyId })}.${encode(payload)}`;
    return `${text}.${this.#signatureOf(Buffer.from(text)).toString("base64url")}`;
  }

  #signatureOf(data: Buffer): Buffer {
    if (!this.#clock.seededBytes) {
      return sign("sha256", data, { key: this.#key, dsaEncoding: "ieee-p1363" });
    }
    const { r, s } = repeatableSignature(data, this.#key);
    return Buffer.concat([r, s]);
  }

  /** The user of a token, if it is meant for one of `audiences`. */
  verify(token: string, audiences: readonly string[] = [ISSUER]): TokenVerdict {
    const claims = this.#claimsOf(token);
    if (!claims) return { error: isFromHere(token) ? WRONG_SIGNATURE : "invalid bearer token" };
    const common = claims.aud.filter((audience) => audiences.includes(audience));
    if (common.length === 0) {
      return {
        error: `[invalid bearer token, token audiences ${quoteAll(claims.aud)} is invalid for the target audiences ${quoteAll(audiences)}]`,
      };
    }
    const problem = this.#problemOf(claims, token);
    if (problem !== undefined) return { error: `[invalid bearer token, ${problem}]` };
    return { user: userOf(claims), audiences: common };
  }

  #claimsOf(token: string): Claims | undefined {
    const [header = "", payload = "", signature = "", ...more] = token.split(".");
    if (signature === "" || more.length > 0) return undefined;
    const key = { key: createPublicKey(this.#key), dsaEncoding: "ieee-p1363" as const };
    const bytes = Buffer.from(signature, "base64url");
    if (!verify("sha256", Buffer.from(`${header}.${payload}`), key, bytes)) return undefined;
    // Signed here, so it has the shape that it was given here.
    const text = Buffer.from(payload, "base64url").toString("utf8");
    if ((JSON.parse(text) as { iss: string }).iss === SECRET_ISSUER) return secretClaims(text);
    const body = JSON.parse(text) as {
      aud: string[];
      exp: number;
      jti: string;
      "kubernetes.io": Record<string, unknown> & {
        namespace: string;
        serviceaccount: { name: string; uid: string };
      };
    };
    const own = body["kubernetes.io"];
    const bound = ["Pod", "Secret", "Node"].flatMap((kind) => {
      const one = own[kind.toLowerCase()];
      return isJsonObject(one)
        ? [{ kind, name: String(one["name"]), uid: String(one["uid"]) }]
        : [];
    });
    const { aud, exp, jti } = body;
    return { aud, exp, jti, namespace: own.namespace, account: own.serviceaccount, bound };
  }

  /** Why a token is no longer valid. */
  #problemOf(claims: Claims, token: string): string | undefined {
    if (this.#clock.now() / 1000 > claims.exp) return "service account token has expired";
    const { namespace, account, secret } = claims;
    if (secret !== undefined) {
      const kept = this.#source.get(SECRETS, `${namespace}/${secret}`);
      if (!kept || kept.metadata.deletionTimestamp) return "Token has been invalidated";
      const stored = Buffer.from(kept.data?.["token"] ?? "", "base64").toString("utf8");
      if (stored !== token) return "Token does not match server's copy";
    }
    const found = this.#source.get("serviceaccounts", `${namespace}/${account.name}`);
    if (!found) return `serviceaccounts ${JSON.stringify(account.name)} not found`;
    if (found.metadata.uid !== account.uid) {
      return `service account UID (${found.metadata.uid ?? ""}) does not match claim (${account.uid})`;
    }
    for (const { kind, name, uid } of claims.bound) {
      const key = kind === "Node" ? name : `${namespace}/${name}`;
      const object = this.#source.get(`${kind.toLowerCase()}s`, key);
      if (object?.metadata.uid !== uid) return "service account token has been invalidated";
    }
    return undefined;
  }
}

const SECRETS: CollectionName<SentObject & { readonly data?: Record<string, string> }> = "secrets";
const WRONG_SIGNATURE = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";

/** Whether a token names one of our issuers. */
function isFromHere(token: string): boolean {
  const parts = token.split(".");
  if (parts.length !== 3) return false;
  const read = (part = ""): unknown => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  try {
    const [header, payload] = [read(parts[0]), read(parts[1])];
    if (!isJsonObject(header) || !isJsonObject(payload)) return false;
    return payload["iss"] === ISSUER || payload["iss"] === SECRET_ISSUER;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The claims of a token that is in a Secret; its only audience is the API. */
function secretClaims(payload: string): Claims {
  const body = JSON.parse(payload) as Record<string, string>;
  const claim = (name: string): string => body[`${SECRET_CLAIM}${name}`] ?? "";
  return {
    aud: [ISSUER],
    exp: Infinity,
    secret: claim("secret.name"),
    namespace: claim("namespace"),
    account: { name: claim("service-account.name"), uid: claim("service-account.uid") },
    bound: [],
  };
}

const quoteAll = (texts: readonly string[]): string =>
  `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;

/** The groups of a service account, `system:authenticated` aside. */
export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** The user that a service account is; its groups hold those of a user with credentials. */
export const serviceAccountUser = (namespace: string, name: string): User => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: [...serviceAccountGroups(namespace), "system:authenticated"],
});

function userOf({ namespace, account, bound, jti }: Claims): User {
  const extra: Record<string, string[]> =
    jti === undefined ? {} : { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] };
  for (const { kind, name, uid } of bound) {
    if (kind === "Secret") continue;
    extra[`authentication.kubernetes.io/${kind.toLowerCase()}-name`] = [name];
    extra[`authentication.kubernetes.io/${kind.toLowerCase()}-uid`] = [uid];
  }
  return { ...serviceAccountUser(namespace, account.name), uid: account.uid, extra };
}
