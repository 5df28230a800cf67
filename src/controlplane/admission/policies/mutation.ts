/**
 * One mutation of a policy: the result of its expression, applied to the object.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import { listOf } from "../../../kube/cel/types.ts";
import { type CelError, CelList, type CelValue } from "../../../kube/cel/values.ts";
import { failure } from "../../../kube/status.ts";
import { findMisfits, printMisfits } from "../../apply/conformity.ts";
import { mergeObjects } from "../../apply/merging.ts";
import {
  type NodeType,
  fieldType,
  isAtomicMap,
  itemType,
  listKeys,
  rootType,
} from "../../apply/topology.ts";
import { findBuiltInSchema } from "../../builtin/definitions.ts";
import type { ServedResource } from "../../kinds.ts";
import type { AdmittedKind } from "../attributes.ts";
import type {
  CompiledExpression,
  ExpressionCompiler,
  Surroundings,
} from "../expressions/expressions.ts";
import {
  MutationError,
  OBJECT,
  ObjectLiteral,
  PATCH,
  PatchLiteral,
  jsonOf,
} from "../expressions/patch-library.ts";
import { PatchFailure, applyOperations } from "../webhook-patch.ts";
import type { Mutation } from "../../../generated/k8s/admissionregistration-v1.ts";

/** A mutation, ready to be evaluated. */
export interface CompiledMutation {
  readonly kind: "apply" | "patch";
  readonly expression: CompiledExpression;
}

/** Compiles a mutation; `undefined` for one without an expression. */
export function compileMutation(
  compiler: ExpressionCompiler,
  { patchType, applyConfiguration, jsonPatch }: Mutation,
  surroundings: Surroundings,
): CompiledMutation | undefined {
  const isPatch = patchType === "JSONPatch";
  const source = (isPatch ? jsonPatch : applyConfiguration)?.expression;
  if (source === undefined) return undefined;
  const expression = compiler.compile(source, [isPatch ? listOf(PATCH) : OBJECT], {
    ...surroundings,
    patches: true,
  });
  return { kind: isPatch ? "patch" : "apply", expression };
}

/** The type of the object in a request. @throws StatusError 503 when it has no schema */
export function typeOfKind(kind: AdmittedKind, resource: ServedResource): NodeType {
  if (kind.kind === resource.kind) return rootType(resource);
  const schema = findBuiltInSchema(kind);
  if (schema) return rootType({ schema, builtIn: true });
  throw failure(
    503,
    "ServiceUnavailable",
    `Resource kind ${apiVersionOf(kind)}, Kind=${kind.kind} not found. There can be a delay between when CustomResourceDefinitions are created and when they are available.`,
  );
}

/** The object merged with an `Object{}`, which is of the object's kind. @throws MutationError */
export function applyLiteral(
  object: SentObject,
  value: CelValue,
  type: NodeType,
  { kind }: AdmittedKind,
): unknown {
  if (!(value instanceof ObjectLiteral)) {
    throw new MutationError("unsupported return type from ApplyConfiguration expression");
  }
  value.checkNames();
  const patch = { ...value.toJson(), apiVersion: object.apiVersion, kind };
  const refuse = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);
  const misfits = findMisfits(type, patch, false);
  if (misfits.length > 0) {
    throw refuse(`failed to convert patch object to typed object: ${printMisfits(misfits)}`);
  }
  const atomics = atomicsIn(type, patch, "");
  if (atomics.length > 0) {
    throw refuse(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`,
    );
  }
  const live = findMisfits(type, object, true);
  if (live.length > 0) {
    throw refuse(`failed to convert original object to typed object: ${printMisfits(live)}`);
  }
  const result = mergeObjects(type, object, patch);
  if ("misfits" in result) throw refuse(`failed to merge patch: ${printMisfits(result.misfits)}`);
  return result.merged;
}

/** Paths of atomic lists and maps in a configuration: they would lose what it does not mention. */
function atomicsIn(type: NodeType, value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const own = type.schema.type === "array" && listKeys(type) === undefined ? [path] : [];
    const items = itemType(type);
    return [
      ...own,
      ...(value as unknown[]).flatMap((item, index) => atomicsIn(items, item, `${path}[${index}]`)),
    ];
  }
  if (!isJsonObject(value)) return [];
  const below = Object.entries(value).flatMap(([name, one]) => {
    const child = fieldType(type, name);
    return child ? atomicsIn(child, one, `${path}.${name}`) : [];
  });
  return isAtomicMap(type) ? [path, ...below] : below;
}

/**
 * The object after the operations of a list of `JSONPatch{}`; unchanged when a test of it fails.
 *
 * @throws MutationError
 */
export function applyPatches(object: SentObject, value: CelValue): unknown {
  if (!(value instanceof CelList)) {
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  }
  const operations = [...value].map((item) => operationOf(item));
  try {
    return applyOperations(object, operations);
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    if (error.isTest) return object;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}

function operationOf(item: CelValue | CelError): JsonObject {
  if (!(item instanceof PatchLiteral)) {
    throw new MutationError(
      "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch",
    );
  }
  const text = (name: string): string => {
    const value = item.find(name);
    return typeof value === "string" ? value : "";
  };
  const from = text("from");
  const value = item.find("value");
  if (value instanceof ObjectLiteral) value.checkNames();
  return {
    op: text("op"),
    path: text("path"),
    ...(from === "" ? {} : { from }),
    ...(value === undefined ? {} : { value: jsonOf(value) }),
  };
}
