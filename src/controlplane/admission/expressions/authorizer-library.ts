/**
 * `authorizer` in expressions of admission: whether the user of the request may do something else.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/cel/library#Authz
 */
import type { Library } from "../../../kube/cel/environment.ts";
import { type FunctionDeclaration, member } from "../../../kube/cel/functions.ts";
import { KubernetesValue } from "../../../kube/cel/library/kubernetes-value.ts";
import { BOOL, type CelType, STRING, struct } from "../../../kube/cel/types.ts";
import { CelError, type CelValue, noSuchOverload } from "../../../kube/cel/values.ts";
import type { Attributes } from "../../request-attributes.ts";
import type { Decision } from "../../auth/rbac.ts";
import { serviceAccountUser } from "../../auth/tokens.ts";
import type { User } from "../../kinds.ts";

/** Decides whether a user may do something. */
export type Authorize = (user: User, attributes: Attributes) => Decision;

/** A value that expressions only hand on. */
class Opaque<D> extends KubernetesValue {
  readonly type: CelType;
  readonly data: D;

  constructor(type: CelType, data: D) {
    super();
    this.type = type;
    this.data = data;
  }

  equals(other: CelValue): boolean | CelError {
    return other === this ? true : noSuchOverload();
  }

  toString(): string {
    return this.type.name;
  }
}

/** A type of opaque values, which carry `D`. */
class OpaqueType<D> {
  readonly name: string;
  readonly type: CelType;
  readonly #made = new WeakSet<object>();

  constructor(name: string) {
    this.name = name;
    this.type = struct(`kubernetes.authorization.${name}`);
  }

  of(data: D): CelValue {
    const value = new Opaque(this.type, data);
    this.#made.add(value);
    return value;
  }

  is(value: CelValue | undefined): value is Opaque<D> {
    return value instanceof Opaque && this.#made.has(value);
  }
}

/** The user who is asked about, and who decides. */
interface Authorizer {
  readonly user: User;
  readonly authorize: Authorize;
}

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The variable `authorizer`: checks the rights of a user. */
export const AUTHORIZER = new OpaqueType<Authorizer>("Authorizer");
/** `authorizer.requestResource`, and the result of `resource`, built up call by call. */
export const RESOURCE_CHECK = new OpaqueType<Authorizer & { readonly asked: Asked }>(
  "ResourceCheck",
);
const GROUP_CHECK = new OpaqueType<Authorizer & { readonly group: string }>("GroupCheck");
const PATH_CHECK = new OpaqueType<Authorizer & { readonly path: string }>("PathCheck");
const DECISION = new OpaqueType<Decision>("Decision");

/** Declares a function with one overload, whose arguments are strings; `texts` is their number. */
function declare<D>(
  name: string,
  target: OpaqueType<D>,
  result: CelType,
  run: (target: D, ...texts: string[]) => CelValue | CelError,
  texts = 1,
): FunctionDeclaration {
  const id = `${target.name}_${name}`.toLowerCase();
  const args = [target.type, ...Array.from({ length: texts }, () => STRING)];
  const implementation = (self?: CelValue, ...rest: CelValue[]): CelValue | CelError => {
    const given = rest.filter((value): value is string => typeof value === "string");
    const isFit = target.is(self) && given.length === texts;
    return isFit ? run(self.data, ...given) : noSuchOverload();
  };
  return { name, overloads: [member(id, args, result, implementation)] };
}

/** The functions of `authorizer` and of their results. */
export const authorizerLibrary: Library = {
  types: [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION].map(({ type }) => type),
  functions: [
    declare("path", AUTHORIZER, PATH_CHECK.type, (by, path = "") =>
      path === "" ? new CelError("path must not be empty") : PATH_CHECK.of({ ...by, path }),
    ),
    declare("group", AUTHORIZER, GROUP_CHECK.type, (by, group = "") =>
      GROUP_CHECK.of({ ...by, group }),
    ),
    declare(
      "serviceAccount",
      AUTHORIZER,
      AUTHORIZER.type,
      ({ authorize }, namespace = "", account = "") =>
        AUTHORIZER.of({ user: serviceAccountUser(namespace, account), authorize }),
      2,
    ),
    declare("resource", GROUP_CHECK, RESOURCE_CHECK.type, ({ group, ...by }, resource = "") => {
      if (resource === "") return new CelError("resource must not be empty");
      const asked = { group, resource, subresource: "", namespace: "", name: "" };
      return RESOURCE_CHECK.of({ ...by, asked });
    }),
    ...["subresource", "namespace", "name"].map((part) =>
      declare(part, RESOURCE_CHECK, RESOURCE_CHECK.type, ({ asked, ...by }, text = "") =>
        RESOURCE_CHECK.of({ ...by, asked: { ...asked, [part]: text } }),
      ),
    ),
    declare("check", PATH_CHECK, DECISION.type, ({ user, authorize, path }, verb = "") =>
      DECISION.of(authorize(user, { verb, path })),
    ),
    declare("check", RESOURCE_CHECK, DECISION.type, ({ user, authorize, asked }, verb = "") =>
      DECISION.of(authorize(user, { verb, version: "*", ...asked })),
    ),
    declare("allowed", DECISION, BOOL, ({ allowed }) => allowed, 0),
    declare("reason", DECISION, STRING, ({ reason }) => reason, 0),
    // Missing roles are in the reason; nothing else can fail.
    declare("errored", DECISION, BOOL, () => false, 0),
    declare("error", DECISION, STRING, () => "", 0),
  ],
};
