/**
 * The rules in CEL of one node of a schema, compiled.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules
 */
import { CompileFailure, compileExpression, type Expression } from "../cel/compile.ts";
import {
  DeclaredObjects,
  type DeclaredType,
  MAX_REQUEST_BYTES,
  sizesOf,
} from "../cel/declared-type.ts";
import { kubernetesEnvironment } from "../cel/libraries.ts";
import { optionalOf } from "../cel/types.ts";
import { parseFieldPath } from "../schema/field-path.ts";
import type { Schema, ValidationRule } from "../schema/structural.ts";

/** A rule, ready to be estimated and evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent where the rule is blank or wrong. */
  readonly expression?: Expression;
  readonly error?: string;
  readonly messageExpression?: Expression;
  readonly messageError?: string;
  /** Whether the rule uses the old value. */
  readonly usesOldSelf: boolean;
  /** The largest cost of one evaluation. */
  readonly maxCost: number;
  /** The largest cost of one evaluation of the message. */
  readonly maxMessageCost: number;
  /** The largest number of values of the node's type in one request. */
  readonly maxCount: number;
  /** The path below the node at which a failure is reported; empty for the node itself. */
  readonly fieldPath: string;
}

/** The name of object types in messages; real names end in a number that changes. */
const SELF_TYPE = "selfType1";

// A memo, not state: the rules of a schema never change, and are validated before they are served.
const wholeObjects = new WeakMap<Schema, CompiledRule[]>();
const parts = new WeakMap<Schema, CompiledRule[]>();

/**
 * The compiled rules of a node whose values have the declared type.
 *
 * @param isRoot - whether the type is that of a whole object, with its metadata
 */
export function compileRules(schema: Schema, type: DeclaredType, isRoot: boolean): CompiledRule[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  if (rules.length === 0) return [];
  const memo = isRoot ? wholeObjects : parts;
  let compiled = memo.get(schema);
  if (!compiled) memo.set(schema, (compiled = compileAll(schema, rules, type)));
  return compiled;
}

function compileAll(
  schema: Schema,
  rules: readonly ValidationRule[],
  type: DeclaredType,
): CompiledRule[] {
  const objects = new DeclaredObjects(type, SELF_TYPE);
  const environmentWith = (optional: boolean): typeof kubernetesEnvironment =>
    kubernetesEnvironment.withVariables(
      { self: objects.type, oldSelf: optional ? optionalOf(objects.type) : objects.type },
      objects,
    );
  const maxCount = Math.floor(MAX_REQUEST_BYTES / (type.minBytes + 1));
  const sizes = sizesOf(type);
  const compile = (
    source: string,
    optional: boolean,
    wanted: "bool" | "string",
    words: Words,
  ): Expression | string => {
    const compiled = compileExpression(source, environmentWith(optional));
    if (compiled instanceof CompileFailure) return `${words.compile}: ${compiled.message}`;
    if (compiled.type.kind !== wanted) return words.type;
    const failure = compiled.prepare();
    return failure ? `${words.plan}: ${failure.message}` : compiled;
  };
  return rules.map((rule) => {
    const base = {
      rule,
      usesOldSelf: false,
      maxCost: 0,
      maxMessageCost: 0,
      maxCount,
      fieldPath: "",
    };
    if (((rule as Partial<ValidationRule>).rule ?? "").trim() === "") return base;
    const optional = rule.optionalOldSelf ?? false;
    const expression = compile(rule.rule, optional, "bool", RULE_WORDS);
    if (typeof expression === "string") return { ...base, error: expression };
    const compiled = {
      ...base,
      expression,
      usesOldSelf: expression.uses("oldSelf"),
      maxCost: expression.estimateCost(sizes).max,
    };
    if (!rule.messageExpression) return { ...compiled, fieldPath: pathOf(rule, schema) };
    const message = compile(rule.messageExpression, optional, "string", MESSAGE_WORDS);
    if (typeof message === "string") return { ...compiled, messageError: message };
    return {
      ...compiled,
      messageExpression: message,
      maxMessageCost: message.estimateCost(sizes).max,
      fieldPath: pathOf(rule, schema),
    };
  });
}

/**
 * The messages for an expression that cannot be compiled, is of the wrong type, or cannot be run.
 */
interface Words {
  readonly compile: string;
  readonly type: string;
  readonly plan: string;
}

const RULE_WORDS: Words = {
  compile: "compilation failed",
  type: "cel expression must evaluate to a bool",
  plan: "program instantiation failed",
};

const MESSAGE_WORDS: Words = {
  compile: "messageExpression compilation failed",
  type: "messageExpression must evaluate to a string",
  plan: "messageExpression instantiation failed",
};

/** The path of a rule in errors. */
function pathOf(rule: ValidationRule, schema: Schema): string {
  if (!rule.fieldPath) return "";
  const found = parseFieldPath(rule.fieldPath, schema);
  if (typeof found === "string") return "";
  let path = "";
  let at: Schema = schema;
  for (const step of found.steps) {
    const isNamed = at.properties !== undefined;
    if (!isNamed) path += `[${step}]`;
    else path += path === "" ? step : `.${step}`;
    const { properties, additionalProperties } = at;
    at = (isNamed ? properties?.[step] : objectOrNothing(additionalProperties)) ?? {};
  }
  return path;
}

const objectOrNothing = (schema: Schema | boolean | undefined): Schema | undefined =>
  typeof schema === "object" ? schema : undefined;
