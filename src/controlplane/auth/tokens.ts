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
import { msOf } from "../../kube/values/times.ts";
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

/** The node of a pod when a token was issued for the pod; without an uid when it did not exist. */
export interface PodNode {
  readonly name: string;
  readonly uid?: string;
}

interface Claims {
  readonly aud: readonly string[];
  /** In seconds since the epoch; infinite for a token in a Secret, which does not expire. */
  readonly exp: number;
  /** In seconds since the epoch. */
  readonly nbf: number;
  /** Absent in the tokens of Secrets. */
  readonly jti?: string;
  /** The Secret that the token must be in. */
  readonly secret?: string;
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly bound: BoundObject | undefined;
  readonly podNode?: PodNode;
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
  /** Of a bound pod. */
  readonly podNode?: PodNode;
}

/**
 * A token is good for a minute after its end, and after the deletion of its account or of the object
 * that it is bound to began, as long as these still exist.
 */
const LEEWAY_SECONDS = 60;

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
    { audiences, seconds, id, bound, podNode }: TokenTerms,
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
        ...(podNode ? { node: podNode } : {}),
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
      nbf: number;
      jti: string;
      "kubernetes.io": Record<string, unknown> & {
        namespace: string;
        serviceaccount: { name: string; uid: string };
      };
    };
    const own = body["kubernetes.io"];
    const refersTo = (kind: string): BoundObject | undefined => {
      const one = own[kind.toLowerCase()];
      if (!isJsonObject(one)) return undefined;
      const { name, uid = "" } = one as { name: string; uid?: string };
      return { kind, name, uid };
    };
    const [pod, node] = [refersTo("Pod"), refersTo("Node")];
    const { aud, exp, nbf, jti } = body;
    return {
      ...{ aud, exp, nbf, jti, namespace: own.namespace, account: own.serviceaccount },
      bound: pod ?? refersTo("Secret") ?? node,
      ...(pod && node ? { podNode: node } : {}),
    };
  }

  /** Why a token is not valid now. */
  #problemOf(claims: Claims, token: string): string | undefined {
    return claims.secret === undefined
      ? (this.#timeProblem(claims) ?? this.#accountProblem(claims) ?? this.#boundProblem(claims))
      : (this.#secretProblem(claims, token) ?? this.#accountProblem(claims));
  }

  #timeProblem({ exp, nbf }: Claims): string | undefined {
    const now = this.#clock.now() / 1000;
    if (now + LEEWAY_SECONDS < nbf) return "service account token is not valid yet";
    return now - LEEWAY_SECONDS > exp ? "service account token has expired" : undefined;
  }

  /** Why the token of a Secret is not valid. */
  #secretProblem({ namespace, account, secret = "" }: Claims, token: string): string | undefined {
    const kept = this.#source.get(SECRETS, `${namespace}/${secret}`);
    if (!kept || kept.metadata.deletionTimestamp) return "Token has been invalidated";
    const stored = Buffer.from(kept.data?.["token"] ?? "", "base64").toString("utf8");
    if (stored !== token) return "Token does not match server's copy";
    if (!kept.metadata.labels?.[INVALID_SINCE]) return undefined;
    return `the token in secret ${namespace}/${secret} for service account ${namespace}/${account.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`;
  }

  #accountProblem({ namespace, account, secret }: Claims): string | undefined {
    const [word, leewaySeconds] =
      secret === undefined ? ["service account", LEEWAY_SECONDS] : ["ServiceAccount", 0];
    const found = this.#source.get("serviceaccounts", `${namespace}/${account.name}`);
    if (!found) return `serviceaccounts ${JSON.stringify(account.name)} not found`;
    const uid = found.metadata.uid ?? "";
    if (uid !== account.uid) {
      return `${word} UID (${uid}) does not match claim (${account.uid})`;
    }
    if (!this.#isDeleted(found, leewaySeconds)) return undefined;
    return `${word} ${namespace}/${account.name} has been deleted`;
  }

  /** Why the object that a token is bound to makes it invalid. */
  #boundProblem({ namespace, bound }: Claims): string | undefined {
    if (!bound) return undefined;
    const { kind, name, uid } = bound;
    const key = kind === "Node" ? name : `${namespace}/${name}`;
    const found = this.#source.get(`${kind.toLowerCase()}s`, key);
    if (!found) return "service account token has been invalidated";
    const now = found.metadata.uid ?? "";
    if (now !== uid) {
      const word = kind.toLowerCase();
      return `${word} UID (${now}) does not match service account ${word} ref claim (${uid})`;
    }
    if (!this.#isDeleted(found, LEEWAY_SECONDS)) return undefined;
    return "service account token has been invalidated";
  }

  /** Whether the deletion of an object, which finalizers may hold up, began before that time. */
  #isDeleted({ metadata: { deletionTimestamp } }: SentObject, leewaySeconds: number): boolean {
    if (!deletionTimestamp) return false;
    if (leewaySeconds === 0) return true;
    return msOf(deletionTimestamp) < this.#clock.now() - leewaySeconds * 1000;
  }
}

const SECRETS: CollectionName<SentObject & { readonly data?: Record<string, string> }> = "secrets";
/** The label of a Secret whose token nobody used for long. */
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
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
    nbf: 0,
    secret: claim("secret.name"),
    namespace: claim("namespace"),
    account: { name: claim("service-account.name"), uid: claim("service-account.uid") },
    bound: undefined,
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

function userOf({ namespace, account, bound, podNode, jti }: Claims): User {
  const extra: Record<string, string[]> =
    jti === undefined ? {} : { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] };
  const shown = (kind: string, { name, uid }: PodNode): void => {
    extra[`authentication.kubernetes.io/${kind}-name`] = [name];
    if (uid) extra[`authentication.kubernetes.io/${kind}-uid`] = [uid];
  };
  if (bound && bound.kind !== "Secret") shown(bound.kind.toLowerCase(), bound);
  if (podNode) shown("node", podNode);
  return { ...serviceAccountUser(namespace, account.name), uid: account.uid, extra };
}
