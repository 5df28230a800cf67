/**
 * Who asks: by client certificate, by bearer token, or nobody in particular; and as whom.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/
 * @module
 */
import { failure } from "../../kube/status.ts";
import type { User } from "../kinds.ts";
import { authorize } from "./authorizer.ts";
import { type Attributes, type RoleSource, denialText } from "./rbac.ts";
import { type TokenAuthority, serviceAccountGroups } from "./tokens.ts";

/** What TLS tells of the client. */
export interface PeerIdentity {
  /** The common name of a certificate of our CA. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in lower case hexadecimal digits. */
  readonly fingerprint: string;
}

/** What a request says about its sender. */
export interface Credentials {
  /** Absent without a certificate; `untrusted` for one of another CA. */
  readonly peer?: PeerIdentity | "untrusted";
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const AUTHENTICATED = "system:authenticated";
const UNAUTHENTICATED = "system:unauthenticated";
const ANONYMOUS: User = { name: "system:anonymous", groups: [UNAUTHENTICATED] };
const EXTRA_PREFIX = "impersonate-extra-";

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/**
 * The user of a request, after impersonation.
 *
 * @throws StatusError 401 for credentials that are wrong, 403 or 400 for an impersonation that is not allowed
 */
export function authenticate(
  source: RoleSource,
  tokens: TokenAuthority,
  credentials: Credentials,
): User {
  return impersonate(source, identify(tokens, credentials), credentials);
}

function identify(tokens: TokenAuthority, { peer, headers }: Credentials): User {
  if (peer === "untrusted") throw failure(401, "Unauthorized", "Unauthorized");
  if (peer) {
    return {
      name: peer.commonName,
      groups: withGroup(peer.organizations, AUTHENTICATED),
      extra: {
        "authentication.kubernetes.io/credential-id": [`X509SHA256=${peer.fingerprint}`],
      },
    };
  }
  const [scheme = "", token = ""] = (listOf(headers["authorization"])[0] ?? "").trim().split(" ");
  if (scheme.toLowerCase() !== "bearer" || token === "") return ANONYMOUS;
  const verdict = tokens.verify(token);
  if ("error" in verdict) throw failure(401, "Unauthorized", "Unauthorized");
  return verdict.user;
}

const withGroup = (groups: readonly string[], group: string): string[] =>
  groups.includes(group) ? [...groups] : [...groups, group];

/** What a request wants to be taken for. */
interface Wish {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function wishOf(headers: Credentials["headers"]): Wish | undefined {
  const name = listOf(headers["impersonate-user"])[0] ?? "";
  const uid = listOf(headers["impersonate-uid"])[0] ?? "";
  // Node joins repeated headers that it does not know.
  const split = (value: string | string[] | undefined): string[] =>
    listOf(value).flatMap((text) => text.split(/, */));
  const groups = split(headers["impersonate-group"]);
  const extra: Record<string, string[]> = {};
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    extra[decodeKey(header.slice(EXTRA_PREFIX.length))] = split(value);
  }
  if (name === "" && (groups.length > 0 || uid !== "" || Object.keys(extra).length > 0)) {
    const wanted = JSON.stringify({ groups, uid, extra });
    throw failure(
      400,
      "BadRequest",
      `requested &user.DefaultInfo{${wanted}} without impersonating a user name`,
    );
  }
  return name === "" ? undefined : { name, groups, uid, extra };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    // The API server takes what it cannot decode as it is.
    return key;
  }
}

function impersonate(source: RoleSource, user: User, credentials: Credentials): User {
  const wish = wishOf(credentials.headers);
  if (!wish) return user;
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(wish.name);
  const [, namespace = "", accountName = ""] = account ?? [];
  demand(source, user, account ? "serviceaccounts" : "users", {
    namespace,
    name: account ? accountName : wish.name,
  });
  for (const group of wish.groups) demand(source, user, "groups", { name: group });
  if (wish.uid !== "") {
    demand(source, user, "uids", { name: wish.uid, group: "authentication.k8s.io" });
  }
  for (const [key, values] of Object.entries(wish.extra)) {
    for (const value of values) {
      demand(source, user, "userextras", {
        name: value,
        group: "authentication.k8s.io",
        subresource: key,
      });
    }
  }
  return {
    name: wish.name,
    groups: impersonatedGroups(wish, account ? namespace : undefined),
    ...(wish.uid === "" ? {} : { uid: wish.uid }),
    ...(Object.keys(wish.extra).length === 0 ? {} : { extra: wish.extra }),
  };
}

function impersonatedGroups(wish: Wish, namespace: string | undefined): string[] {
  const named =
    wish.groups.length === 0 && namespace !== undefined
      ? serviceAccountGroups(namespace)
      : wish.groups;
  if (wish.name === "system:anonymous") return withGroup(named, UNAUTHENTICATED);
  return named.includes(UNAUTHENTICATED) ? [...named] : withGroup(named, AUTHENTICATED);
}

/** @throws StatusError 403 */
function demand(
  source: RoleSource,
  user: User,
  resource: string,
  what: {
    readonly name: string;
    readonly namespace?: string;
    readonly group?: string;
    readonly subresource?: string;
  },
): void {
  const attributes: Attributes = {
    verb: "impersonate",
    group: what.group ?? "",
    version: "v1",
    resource,
    subresource: what.subresource ?? "",
    namespace: what.namespace ?? "",
    name: what.name,
  };
  const decision = authorize(source, user, attributes);
  if (decision.allowed) return;
  const qualified = attributes.group === "" ? resource : `${resource}.${attributes.group}`;
  const why = `${denialText(user, attributes)}${decision.reason === "" ? "" : `: ${decision.reason}`}`;
  throw failure(
    403,
    "Forbidden",
    `${qualified} ${JSON.stringify(what.name)} is forbidden: ${why}`,
    {
      name: what.name,
      ...(attributes.group === "" ? {} : { group: attributes.group }),
      kind: resource,
    },
  );
}
