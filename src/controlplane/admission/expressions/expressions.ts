/**
 * Expressions of admission, compiled: their environment, and the types of their results.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-expression
 */
import { CompileFailure, type Expression, compileExpression } from "../../../kube/cel/compile.ts";
import type { Environment, ObjectFields } from "../../../kube/cel/environment.ts";
import { admissionEnvironment } from "../../../kube/cel/libraries.ts";
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  formatType,
  listOf,
  mapOf,
  sameType,
  struct,
} from "../../../kube/cel/types.ts";
import type { ConditionProblem } from "../../../kube/webhooks/webhook-rules.ts";
import { AUTHORIZER, RESOURCE_CHECK, authorizerLibrary } from "./authorizer-library.ts";
import { patchLibrary } from "./patch-library.ts";
import { tableOf } from "../../../table.ts";
import { getField } from "../../../kube/json.ts";

const REQUEST = struct("kubernetes.AdmissionRequest");
const NAMESPACE = struct("kubernetes.Namespace");
const VARIABLES = struct("kubernetes.variables");

const KIND = struct("kubernetes.GroupVersionKind");
const RESOURCE = struct("kubernetes.GroupVersionResource");
const USER = struct("kubernetes.UserInfo");
const METADATA = struct("kubernetes.NamespaceMetadata");
const SPEC = struct("kubernetes.NamespaceSpec");
const STATUS = struct("kubernetes.NamespaceStatus");
const CONDITION = struct("kubernetes.NamespaceCondition");
const TEXTS = listOf(STRING);
const LABELS = mapOf(STRING, STRING);

const FIELDS = tableOf<Readonly<Record<string, CelType>>>({
  [REQUEST.name]: {
    kind: KIND,
    resource: RESOURCE,
    subResource: STRING,
    requestKind: KIND,
    requestResource: RESOURCE,
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: USER,
    dryRun: BOOL,
    options: DYN,
  },
  [KIND.name]: { group: STRING, version: STRING, kind: STRING },
  [RESOURCE.name]: { group: STRING, version: STRING, resource: STRING },
  [USER.name]: { username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) },
  [NAMESPACE.name]: { metadata: METADATA, spec: SPEC, status: STATUS },
  [METADATA.name]: {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: LABELS,
    annotations: LABELS,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  },
  [SPEC.name]: { finalizers: TEXTS },
  [STATUS.name]: { conditions: listOf(CONDITION), phase: STRING },
  [CONDITION.name]: {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  },
});

/** The fields of these types, of a policy's variables, and of the object's type if it is known. */
class AdmissionTypes implements ObjectFields {
  readonly #variables: ReadonlyMap<string, CelType> | undefined;
  readonly #objects: readonly ObjectFields[];

  constructor(
    variables: ReadonlyMap<string, CelType> | undefined,
    objects: readonly ObjectFields[] = [],
  ) {
    this.#variables = variables;
    this.#objects = objects;
  }

  has(type: string): boolean {
    if (type === VARIABLES.name) return this.#variables !== undefined;
    return FIELDS.has(type) || this.#objects.some((objects) => objects.has(type));
  }

  field(type: string, name: string): CelType | undefined {
    if (type === VARIABLES.name) return this.#variables?.get(name);
    const fields = FIELDS.get(type);
    if (fields) return getField(fields, name);
    return this.#objects.find((objects) => objects.has(type))?.field(type, name);
  }
}

/** The environment of an expression beside the request and its objects. */
export interface Surroundings {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Whether there are `Object{}` and `JSONPatch{}`. */
  readonly patches?: boolean;
  /** The types of `variables`; absent where there are no variables. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** The types of the object and of the parameters, where they are known. */
  readonly types?: {
    readonly object: CelType;
    readonly params: CelType;
    readonly fields: readonly ObjectFields[];
  };
}

/** An expression after compilation, usable or not. */
export interface CompiledExpression {
  readonly source: string;
  /** Absent when the expression cannot be used. */
  readonly expression?: Expression;
  /** Why the expression cannot be used. */
  readonly problem?: string;
  /** The type of the result; `dyn` when it is not known. */
  readonly type: CelType;
}

export class ExpressionCompiler {
  readonly #plain = admissionEnvironment([authorizerLibrary]);
  readonly #patching = admissionEnvironment([authorizerLibrary, patchLibrary]);

  /** @param gives - the types that the result may have; any type when absent */
  compile(
    source: string,
    gives: readonly CelType[],
    surroundings: Surroundings,
  ): CompiledExpression {
    const compiled = compileExpression(source, this.#environment(surroundings));
    if (compiled instanceof CompileFailure) {
      return { source, type: DYN, problem: `compilation failed: ${compiled.message}` };
    }
    const { type } = compiled;
    if (gives.length > 0 && !gives.some((one) => sameType(one, type))) {
      const [first = type] = gives;
      const wanted = gives.length === 1 ? goName(first) : `one of [${gives.map(goName).join(" ")}]`;
      return { source, type, problem: `must evaluate to ${wanted} but got ${goName(type)}` };
    }
    const failure = compiled.prepare();
    if (failure)
      return { source, type, problem: `program instantiation failed: ${failure.message}` };
    return { source, type, expression: compiled };
  }

  /** Why the expression does not fit these types, in CEL's own words; `undefined` when it fits. */
  mismatch(source: string, surroundings: Surroundings): string | undefined {
    const compiled = compileExpression(source, this.#environment(surroundings));
    return compiled instanceof CompileFailure ? compiled.message : undefined;
  }

  #environment(surroundings: Surroundings): Environment {
    const { params, authorizer, patches = false, variables, types } = surroundings;
    const object = types?.object ?? DYN;
    const base = patches ? this.#patching : this.#plain;
    return base.withVariables(
      {
        object,
        oldObject: object,
        request: REQUEST,
        namespaceObject: NAMESPACE,
        ...(params ? { params: types?.params ?? DYN } : {}),
        ...(authorizer
          ? { authorizer: AUTHORIZER.type, "authorizer.requestResource": RESOURCE_CHECK.type }
          : {}),
        ...(variables ? { variables: VARIABLES } : {}),
      },
      new AdmissionTypes(variables, types?.fields),
    );
  }
}

/** Checks match conditions, whose expressions see `params` where the policy has parameters. */
export const conditionProblem =
  (compiler: ExpressionCompiler, params = false): ConditionProblem =>
  (expression) =>
    compiler.compile(expression, [BOOL], { params, authorizer: true }).problem;

/** A type as Go prints it; `formatType` is how the checker does. */
function goName(type: CelType): string {
  switch (type.kind) {
    case "null":
    case "timestamp":
    case "duration":
      return type.name;
    case "list":
    case "map":
      return `${type.kind}(${type.parameters.map(goName).join(", ")})`;
    default:
      return formatType(type);
  }
}
