/**
 * Impersonation of another user: by the old verb `impersonate`, or by the constrained verbs, which
 * allow it for some requests only.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
 */
import type { ObjectSource } from "../resource-name.ts";
import { quote } from "../../kube/field-errors.ts";
import { StatusError, failure } from "../../kube/status.ts";
import type { User } from "../kinds.ts";
import {
  type Credentials,
  AUTHENTICATED,
  UNAUTHENTICATED,
  valuesOf,
  withGroup,
} from "./authenticator.ts";
import { authorize, denial } from "./authorizer.ts";
import type { Attributes, ResourceAttributes } from "../request-attributes.ts";
import { serviceAccountGroups } from "./tokens.ts";

const AUTHENTICATION_GROUP = "authentication.k8s.io";
const MASTERS = "system:masters";
const EXTRA_PREFIX = "impersonate-extra-";
const NODE_PREFIX = "system:node:";
const NODE_NAME_EXTRA = "authentication.kubernetes.io/node-name";

type Headers = Credentials["headers"];

/** The user that a request asks to impersonate. */
interface Wish {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** A mode of impersonation: constrained to one type of users, or the old one. */
interface Mode {
  /** Empty for the old mode. */
  readonly name: string;
  applies(wish: Wish, requestor: User): boolean;
}

const onlyName = ({ groups, uid, extra }: Wish): boolean =>
  groups.length === 0 && uid === "" && Object.keys(extra).length === 0;

const nodeOf = (name: string): string | undefined =>
  name.startsWith(NODE_PREFIX) && name.length > NODE_PREFIX.length
    ? name.slice(NODE_PREFIX.length)
    : undefined;

function accountOf(user: string) {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

const MODES: readonly Mode[] = [
  {
    name: "associated-node",
    applies(wish, { name, extra }) {
      const node = nodeOf(wish.name);
      const [own, ...others] = extra?.[NODE_NAME_EXTRA] ?? [];
      const isOwn = node !== undefined && own === node && others.length === 0;
      return onlyName(wish) && isOwn && accountOf(name) !== undefined;
    },
  },
  { name: "arbitrary-node", applies: (wish) => onlyName(wish) && nodeOf(wish.name) !== undefined },
  {
    name: "serviceaccount",
    applies: (wish) => onlyName(wish) && accountOf(wish.name) !== undefined,
  },
  {
    name: "user-info",
    applies: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { name: "", applies: () => true },
];

const REMEMBERED_USERS = 1024;

/**
 * Finds the user of a request with impersonation, and remembers the mode of each user, to try it
 * first.
 */
export class Impersonation {
  readonly #source: ObjectSource;
  readonly #lastModes = new Map<string, Mode>();

  constructor(source: ObjectSource) {
    this.#source = source;
  }

  /**
   * The impersonated user of a request.
   *
   * @param attributes - the attributes of the request
   * @throws StatusError 400 for invalid headers, 403 when it is not allowed
   */
  userFor(requestor: User, headers: Headers, attributes: Attributes): User {
    const wish = wishOf(headers);
    if (!wish) return requestor;
    const last = this.#lastModes.get(requestor.name);
    const modes = last ? [last, ...MODES.filter((mode) => mode !== last)] : MODES;
    let refusal: StatusError | undefined;
    for (const mode of modes) {
      if (!mode.applies(wish, requestor)) continue;
      try {
        const user = this.#become(mode, wish, requestor, attributes);
        this.#remember(requestor.name, mode);
        return user;
      } catch (thrown) {
        if (!(thrown instanceof StatusError)) throw thrown;
        refusal ??= thrown;
      }
    }
    throw refusal ?? failure(403, "Forbidden", "all impersonation modes failed");
  }

  #remember(name: string, mode: Mode): void {
    if (this.#lastModes.size >= REMEMBERED_USERS) this.#lastModes.clear();
    this.#lastModes.set(name, mode);
  }

  /** @throws StatusError 403 */
  #become(mode: Mode, wish: Wish, requestor: User, attributes: Attributes): User {
    const demand = (wanted: Attributes): void => {
      const { allowed, reason } = authorize(this.#source, requestor, wanted);
      if (!allowed) throw denial(requestor, wanted, reason);
    };
    const isOld = mode.name === "";
    if (!isOld) demand({ ...attributes, verb: `impersonate-on:${mode.name}:${attributes.verb}` });
    const verb = isOld ? "impersonate" : `impersonate:${mode.name}`;
    const about = (resource: string, name: string, more: Partial<ResourceAttributes> = {}) => ({
      verb,
      group: isOld ? "" : AUTHENTICATION_GROUP,
      version: "v1",
      resource,
      subresource: "",
      namespace: "",
      name,
      ...more,
    });
    const account = accountOf(wish.name);
    const node = isOld ? undefined : nodeOf(wish.name);
    if (account) demand(about("serviceaccounts", account.name, { namespace: account.namespace }));
    else if (node === undefined) demand(about("users", wish.name));
    else demand(about("nodes", mode.name === "associated-node" ? "*" : node));
    const group = AUTHENTICATION_GROUP;
    if (wish.uid !== "") demand(about("uids", wish.uid, { group }));
    for (const one of wish.groups) {
      if (!isOld && (one === "" || one === MASTERS)) {
        const what = one === "" ? "the empty string group" : `the ${MASTERS} group`;
        throw denial(requestor, about("groups", one), `impersonating ${what} is not allowed`);
      }
      demand(about("groups", one));
    }
    for (const [key, values] of Object.entries(wish.extra)) {
      for (const value of values) demand(about("userextras", value, { group, subresource: key }));
    }
    return userOf(wish, node === undefined ? account?.namespace : undefined, node !== undefined);
  }
}

function userOf(
  { name, groups, uid, extra }: Wish,
  accountNamespace: string | undefined,
  isNode: boolean,
): User {
  const own = isNode
    ? ["system:nodes"]
    : groups.length === 0 && accountNamespace !== undefined
      ? serviceAccountGroups(accountNamespace)
      : groups;
  const isAnonymous = name === "system:anonymous" || own.includes(UNAUTHENTICATED);
  return {
    name,
    groups: withGroup(own, isAnonymous ? UNAUTHENTICATED : AUTHENTICATED),
    ...(uid === "" ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

// Node joins repeated headers that it does not know.
const split = (value: string | string[] | undefined): string[] =>
  valuesOf(value).flatMap((text) => text.split(/, */));

/** @throws StatusError 400 */
function wishOf(headers: Headers): Wish | undefined {
  const name = valuesOf(headers["impersonate-user"])[0] ?? "";
  const uid = valuesOf(headers["impersonate-uid"])[0] ?? "";
  const groups = split(headers["impersonate-group"]);
  const extra: Record<string, string[]> = {};
  for (const header of Object.keys(headers)) {
    if (!header.startsWith(EXTRA_PREFIX)) continue;
    extra[decodeKey(header.slice(EXTRA_PREFIX.length))] = split(headers[header]);
  }
  if (name !== "") return { name, groups, uid, extra };
  const keys = Object.keys(extra);
  if (groups.length === 0 && uid === "" && keys.length === 0) return undefined;
  const wanted = `Name:"", UID:${quote(uid)}, Groups:${goList(groups)}, Extra:map[string][]string{${keys.map((key) => `${quote(key)}:${goList(extra[key] ?? [])}`).join(", ")}}`;
  throw failure(
    400,
    "BadRequest",
    `requested &user.DefaultInfo{${wanted}} without impersonating a user name`,
  );
}

const goList = (texts: readonly string[]): string =>
  texts.length === 0 ? "[]string(nil)" : `[]string{${texts.map(quote).join(", ")}}`;

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    // The API server takes a key that it cannot decode as it is.
    return key;
  }
}
