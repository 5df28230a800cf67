/**
 * Authenticates requests: by client certificate, by bearer token, or as the anonymous user.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/
 */
import type { JsonObject } from "../../kube/object.ts";
import { failure } from "../../kube/status.ts";
import { present } from "../../present.ts";
import type { User } from "../kinds.ts";
import type { TokenAuthority } from "./tokens.ts";
import { protocolToken } from "./web-socket-token.ts";

/** The identity of a TLS client. */
export interface PeerIdentity {
  /** The common name of a certificate of our CA; not empty. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string;
}

export interface Credentials {
  /** Absent without a certificate, or without a name in it; `untrusted` for one of another CA. */
  readonly peer?: PeerIdentity | "untrusted" | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
const ANONYMOUS: User = { name: "system:anonymous", groups: [UNAUTHENTICATED] };

/** The values of a header. */
export const valuesOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** The user of a request. @throws StatusError 401 for wrong credentials */
export function identify(tokens: TokenAuthority, { peer, headers }: Credentials): User {
  if (peer === "untrusted") throw failure(401, "Unauthorized", "Unauthorized");
  if (peer) return userOf(peer);
  const [scheme = "", token = ""] = (valuesOf(headers["authorization"])[0] ?? "").trim().split(" ");
  const sent = [
    scheme.toLowerCase() === "bearer" && token !== "" ? { token } : undefined,
    protocolToken(headers),
  ].filter((one) => one !== undefined);
  for (const one of sent) {
    if (one === "invalid") continue;
    const verdict = tokens.verify(one.token);
    if (!("error" in verdict)) return verdict.user;
  }
  if (sent.length > 0) throw failure(401, "Unauthorized", "Unauthorized");
  return ANONYMOUS;
}

// A memo, not state: the user of a certificate never changes.
const users = new WeakMap<PeerIdentity, User>();

function userOf(peer: PeerIdentity): User {
  let user = users.get(peer);
  if (!user) {
    user = {
      name: peer.commonName,
      groups: withGroup(peer.organizations, AUTHENTICATED),
      extra: {
        "authentication.kubernetes.io/credential-id": [`X509SHA256=${peer.fingerprint}`],
      },
    };
    users.set(peer, user);
  }
  return user;
}

/** The groups with one more, if it is not among them. */
export const withGroup = (groups: readonly string[], group: string): string[] =>
  groups.includes(group) ? [...groups] : [...groups, group];

/** `UserInfo` of authentication.k8s.io/v1, as reviews show a user; empty parts are left out. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...present({ uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...present({ extra }),
  };
}
