/**
 * `authorizer` in expressions of admission: whether the user of the request may do something else.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/cel/library#Authz
 */
import type { Library } from "../../kube/cel/environment.ts";
import { type FunctionDeclaration, member } from "../../kube/cel/functions.ts";
import { KubernetesValue } from "../../kube/cel/library/kubernetes-value.ts";
import { BOOL, type CelType, STRING, struct } from "../../kube/cel/types.ts";
import { CelError, type CelValue, noSuchOverload } from "../../kube/cel/values.ts";
import type { Attributes } from "../auth/attributes.ts";
import type { Decision } from "../auth/rbac.ts";
import { serviceAccountGroups } from "../auth/tokens.ts";
import type { User } from "../kinds.ts";

/** The type of the variable `authorizer`. */
export const AUTHORIZER = struct("kubernetes.authorization.Authorizer");
/** The type of `authorizer.requestResource`, and of the result of `resource`. */
export const RESOURCE_CHECK = struct("kubernetes.authorization.ResourceCheck");
const GROUP_CHECK = struct("kubernetes.authorization.GroupCheck");
const PATH_CHECK = struct("kubernetes.authorization.PathCheck");
const DECISION = struct("kubernetes.authorization.Decision");

/** Decides whether a user may do something. */
export type Authorize = (user: User, attributes: Attributes) => Decision;

abstract class Opaque extends KubernetesValue {
  equals(other: CelValue): boolean | CelError {
    return other === this ? true : noSuchOverload();
  }

  toString(): string {
    return this.type.name;
  }

  abstract override readonly type: CelType;
}

/** The variable `authorizer`: checks the rights of a user. */
export class AuthorizerValue extends Opaque {
  readonly type = AUTHORIZER;
  readonly user: User;
  readonly authorize: Authorize;

  constructor(user: User, authorize: Authorize) {
    super();
    this.user = user;
    this.authorize = authorize;
  }
}

class PathCheck extends Opaque {
  readonly type = PATH_CHECK;
  readonly by: AuthorizerValue;
  readonly path: string;

  constructor(by: AuthorizerValue, path: string) {
    super();
    this.by = by;
    this.path = path;
  }
}

class GroupCheck extends Opaque {
  readonly type = GROUP_CHECK;
  readonly by: AuthorizerValue;
  readonly group: string;

  constructor(by: AuthorizerValue, group: string) {
    super();
    this.by = by;
    this.group = group;
  }
}

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** A check about a resource, built up call by call. */
export class ResourceCheck extends Opaque {
  readonly type = RESOURCE_CHECK;
  readonly by: AuthorizerValue;
  readonly asked: Asked;

  constructor(by: AuthorizerValue, asked: Asked) {
    super();
    this.by = by;
    this.asked = asked;
  }

  with(more: Partial<Asked>): ResourceCheck {
    return new ResourceCheck(this.by, { ...this.asked, ...more });
  }
}

class DecisionValue extends Opaque {
  readonly type = DECISION;
  readonly decision: Decision;

  constructor(decision: Decision) {
    super();
    this.decision = decision;
  }
}

/** Declares a function with one overload, whose arguments are strings; `texts` is their number. */
function declare<T extends Opaque>(
  name: string,
  id: string,
  target: { readonly type: CelType; is(value: CelValue | undefined): value is T },
  { texts, result }: { readonly texts: number; readonly result: CelType },
  run: (target: T, ...texts: string[]) => CelValue | CelError,
): FunctionDeclaration {
  const args = [target.type, ...Array.from({ length: texts }, () => STRING)];
  const implementation = (self?: CelValue, ...rest: CelValue[]): CelValue | CelError => {
    const given = rest.filter((value): value is string => typeof value === "string");
    return target.is(self) && given.length === texts ? run(self, ...given) : noSuchOverload();
  };
  return { name, overloads: [member(id, args, result, implementation)] };
}

const onAuthorizer = {
  type: AUTHORIZER,
  is: (value: CelValue | undefined): value is AuthorizerValue => value instanceof AuthorizerValue,
};
const onPath = {
  type: PATH_CHECK,
  is: (value: CelValue | undefined): value is PathCheck => value instanceof PathCheck,
};
const onGroup = {
  type: GROUP_CHECK,
  is: (value: CelValue | undefined): value is GroupCheck => value instanceof GroupCheck,
};
const onResource = {
  type: RESOURCE_CHECK,
  is: (value: CelValue | undefined): value is ResourceCheck => value instanceof ResourceCheck,
};
const onDecision = {
  type: DECISION,
  is: (value: CelValue | undefined): value is DecisionValue => value instanceof DecisionValue,
};

/** The functions of `authorizer` and of their results. */
export const authorizerLibrary: Library = {
  types: [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION],
  functions: [
    declare(
      "path",
      "authorizer_path",
      onAuthorizer,
      { texts: 1, result: PATH_CHECK },
      (by, path = "") =>
        path === "" ? new CelError("path must not be empty") : new PathCheck(by, path),
    ),
    declare(
      "group",
      "authorizer_group",
      onAuthorizer,
      { texts: 1, result: GROUP_CHECK },
      (by, group = "") => new GroupCheck(by, group),
    ),
    declare(
      "serviceAccount",
      "authorizer_serviceaccount",
      onAuthorizer,
      { texts: 2, result: AUTHORIZER },
      ({ authorize }, namespace = "", name = "") =>
        new AuthorizerValue(
          {
            name: `system:serviceaccount:${namespace}:${name}`,
            groups: [...serviceAccountGroups(namespace), "system:authenticated"],
          },
          authorize,
        ),
    ),
    declare(
      "resource",
      "groupcheck_resource",
      onGroup,
      { texts: 1, result: RESOURCE_CHECK },
      ({ by, group }, resource = "") =>
        resource === ""
          ? new CelError("resource must not be empty")
          : new ResourceCheck(by, { group, resource, subresource: "", namespace: "", name: "" }),
    ),
    ...(["subresource", "namespace", "name"] as const).map((part) =>
      declare(
        part,
        `resourcecheck_${part}`,
        onResource,
        { texts: 1, result: RESOURCE_CHECK },
        (check, text = "") => check.with({ [part]: text }),
      ),
    ),
    declare(
      "check",
      "pathcheck_check",
      onPath,
      { texts: 1, result: DECISION },
      ({ by, path }, verb = "") => new DecisionValue(by.authorize(by.user, { verb, path })),
    ),
    declare(
      "check",
      "resourcecheck_check",
      onResource,
      { texts: 1, result: DECISION },
      ({ by, asked }, verb = "") =>
        new DecisionValue(by.authorize(by.user, { verb, version: "*", ...asked })),
    ),
    declare(
      "allowed",
      "decision_allowed",
      onDecision,
      { texts: 0, result: BOOL },
      ({ decision }) => decision.allowed,
    ),
    declare(
      "reason",
      "decision_reason",
      onDecision,
      { texts: 0, result: STRING },
      ({ decision }) => decision.reason,
    ),
    // Missing roles are in the reason; nothing else can fail.
    declare("errored", "decision_errored", onDecision, { texts: 0, result: BOOL }, () => false),
    declare("error", "decision_error", onDecision, { texts: 0, result: STRING }, () => ""),
  ],
};
