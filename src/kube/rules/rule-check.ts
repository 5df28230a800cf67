/**
 * Runs the rules in CEL of a schema on an object.
 *
 * @see https://pkg.go.dev/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel#Validator
 */
import type { Bindings, Expression } from "../cel/compile.ts";
import { type DeclaredType, declaredType, withTypeMeta } from "../cel/declared-type.ts";
import { escapeName } from "../cel/escaping.ts";
import { valueOf } from "../cel/object-values.ts";
import { CelError, type CelValue, Optional, type Result } from "../cel/values.ts";
import {
  duplicate,
  duplicateStructure,
  type FieldError,
  forbidden,
  formatFieldError,
  invalidStructure,
  invalidValue,
  required,
} from "../field-errors.ts";
import { getField, isJsonObject } from "../json.ts";
import { Correlation } from "../schema/correlation.ts";
import { type CompiledRule, compileRules } from "./rules.ts";
import { type Schema, type ValidationRule, valuesOf } from "../schema/structural.ts";

/** The limit of the cost of the rules of one object. */
const OBJECT_BUDGET = 10_000_000;
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Receives a warning for the client. */
type Warn = (message: string) => void;

interface CheckOptions {
  /** The path of the value in its object. */
  readonly path?: string;
  /** On an update: failures of unchanged values are only warnings. */
  readonly correlation?: Correlation | undefined;
  readonly warn?: Warn;
}

/** The relation of the value to the old one, for ratcheting. */
interface Relation {
  readonly current: Correlation | undefined;
  readonly nearest: Correlation | undefined;
}

/** The value for which a rule does not hold. */
interface Checked {
  readonly path: string;
  readonly value: unknown;
  /** The type in its schema. */
  readonly type: string;
}

/** The rules of a node and of those below it. */
interface RuleNode {
  readonly schema: Schema;
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items?: RuleNode | undefined;
  readonly values?: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

/** The rules of a schema. They are compiled when an object is first checked. */
export class RuleChecker {
  readonly #schema: Schema;
  readonly #isRoot: boolean;
  #node: { readonly value: RuleNode | undefined } | undefined;

  /** @param isRoot - whether the schema is that of a whole object */
  constructor(schema: Schema, isRoot: boolean) {
    this.#schema = schema;
    this.#isRoot = isRoot;
  }

  /** All errors of the rules for the value. @param old - `undefined` for a new one */
  check(value: unknown, old: unknown, options: CheckOptions = {}): FieldError[] {
    this.#node ??= {
      value: ruleNode(this.#schema, this.#isRoot, declaredType(this.#schema, this.#isRoot)),
    };
    const { path = "", correlation, warn = () => undefined } = options;
    const run = new RuleRun(warn);
    const relation = { current: correlation, nearest: undefined };
    if (this.#node.value) run.visit(this.#node.value, path, value, old ?? undefined, relation);
    return run.errors;
  }
}

function ruleNode(
  schema: Schema,
  isRoot: boolean,
  type: DeclaredType | undefined,
): RuleNode | undefined {
  const embedded = (node: Schema): boolean => node["x-kubernetes-embedded-resource"] === true;
  const values = valuesOf(schema);
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    const fieldType =
      escaped === undefined
        ? declaredType(property, embedded(property))
        : type?.fields?.get(escaped);
    const node = fieldType && ruleNode(property, embedded(property), fieldType);
    if (node) properties.set(name, node);
  }
  const node = {
    schema,
    isRoot,
    rules: type ? compileRules(schema, type, isRoot) : [],
    items: schema.items && ruleNode(schema.items, embedded(schema.items), type?.items),
    values: values && ruleNode(values, embedded(values), type?.items),
    properties,
  };
  const hasRules = node.rules.length > 0 || node.items || node.values || properties.size > 0;
  return hasRules ? node : undefined;
}

/** Thrown when the budget of the object is used up, or a rule was stopped: the check ends. */
class Exhausted extends Error {}

/** The check of one object. */
class RuleRun {
  readonly errors: FieldError[] = [];
  readonly #warn: Warn;
  #budget = OBJECT_BUDGET;

  constructor(warn: Warn) {
    this.#warn = warn;
  }

  visit(node: RuleNode, path: string, value: unknown, old: unknown, relation: Relation): void {
    try {
      this.#visit(node, path, value, old, relation);
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error;
    }
  }

  #visit(node: RuleNode, path: string, value: unknown, old: unknown, relation: Relation): void {
    if (value === null || value === undefined) return;
    if (node.rules.length > 0) this.#runRules(node, path, value, old, relation);
    if (Array.isArray(value)) this.#visitList(node, path, value, old, relation);
    else if (isJsonObject(value)) this.#visitObject(node, path, value, old, relation);
  }

  #visitList(
    node: RuleNode,
    path: string,
    list: readonly unknown[],
    old: unknown,
    relation: Relation,
  ): void {
    if (!node.items) return;
    const olds = new Correlation(list, old, node.schema);
    for (const [index, item] of list.entries()) {
      const below = relation.current
        ? { current: relation.current.item(index), nearest: relation.current }
        : relation;
      this.#visit(node.items, `${path}[${index}]`, item, olds.item(index)?.old, below);
    }
  }

  #visitObject(
    node: RuleNode,
    path: string,
    object: Record<string, unknown>,
    old: unknown,
    relation: Relation,
  ): void {
    for (const [name, value] of Object.entries(object)) {
      const oldValue = isJsonObject(old) ? getField(old, name) : undefined;
      const below = relationOf(relation, name);
      if (node.values) this.#visit(node.values, `${path}[${name}]`, value, oldValue, below);
      const property = node.properties.get(name);
      if (property) {
        this.#visit(property, path === "" ? name : `${path}.${name}`, value, oldValue, below);
      }
    }
  }

  #runRules(node: RuleNode, path: string, value: unknown, old: unknown, relation: Relation): void {
    const at = path === "" ? "<nil>" : path;
    const type = node.schema.type ?? "";
    const invalid = (text: string): FieldError => invalidValue(at, type, text);
    if (this.#budget <= 0) this.#exhausted(invalid(OUT_OF_BUDGET));
    const schema = node.isRoot ? withTypeMeta(node.schema) : node.schema;
    const self = valueOf(value, schema);
    const hasOld = old !== undefined && old !== null;
    const oldSelf = hasOld ? valueOf(old, schema) : undefined;
    const seesOld = node.rules.some(({ usesOldSelf }) => usesOldSelf);
    const bindings = bind(self, seesOld ? oldSelf : undefined);
    const optional = bind(self, seesOld ? optionalOf(oldSelf) : undefined);
    for (const compiled of node.rules) {
      const { rule, expression, usesOldSelf } = compiled;
      if (compiled.error !== undefined) {
        this.errors.push(invalid(`rule compile error: ${compiled.error}`));
      }
      if (!expression || (usesOldSelf && !hasOld && !rule.optionalOldSelf)) continue;
      const evaluated = expression.evaluate(rule.optionalOldSelf ? optional : bindings);
      if (evaluated.cost > this.#budget) this.#exhausted(invalid(OUT_OF_BUDGET));
      this.#budget -= evaluated.cost;
      const { result } = evaluated;
      if (result === true) continue;
      if (result instanceof CelError) {
        const error = invalid(runtimeText(result.message, rule, evaluated.stopped));
        if (evaluated.stopped) this.#exhausted(error);
        this.errors.push(error);
        continue;
      }
      this.#fail(compiled, { path, value, type }, relation, bindings);
    }
  }

  #exhausted(error: FieldError): never {
    this.errors.push(error);
    throw new Exhausted();
  }

  /** Records that a rule does not hold. */
  #fail(
    compiled: CompiledRule,
    { path, value, type }: Checked,
    relation: Relation,
    bindings: Bindings,
  ): void {
    const { rule, fieldPath, messageExpression } = compiled;
    const ratcheted = !compiled.usesOldSelf && (relation.current ?? relation.nearest)?.unchanged();
    const report = (error: FieldError): void => {
      if (ratcheted) this.#warn(formatFieldError(error));
      else this.errors.push(error);
    };
    const joined = path === "" || fieldPath === "" ? path + fieldPath : `${path}.${fieldPath}`;
    const at = joined === "" ? "<nil>" : joined;
    const message = messageExpression && this.#message(messageExpression, rule, bindings);
    if (message instanceof CelError) {
      report(invalidValue(at, type, message.message));
      throw new Exhausted();
    }
    report(ruleFailure(at, value, type, rule, message ?? defaultMessage(rule)));
  }

  /** The result of the message expression; `undefined` when it cannot be used. */
  #message(
    expression: Expression,
    rule: ValidationRule,
    bindings: Bindings,
  ): string | CelError | undefined {
    const { result, cost, stopped } = expression.evaluate(bindings);
    if (cost > this.#budget) {
      const text =
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run";
      return new CelError(text);
    }
    if (stopped) {
      const source = JSON.stringify(rule.messageExpression);
      return new CelError(
        `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`,
      );
    }
    this.#budget -= cost;
    if (typeof result !== "string") return undefined;
    const text = result.trim();
    const fits = Buffer.byteLength(text) <= MAX_MESSAGE_BYTES && !text.includes("\n");
    return fits && text !== "" ? text : undefined;
  }
}

const OUT_OF_BUDGET =
  "validation failed due to running out of cost budget, no further validation rules will be run";

function relationOf(relation: Relation, field: string): Relation {
  const { current, nearest } = relation;
  if (!current) return relation;
  if (!nearest && (field === "apiVersion" || field === "kind")) {
    return { current: undefined, nearest: undefined };
  }
  return { current: current.field(field), nearest: current };
}

const bind =
  (self: Result, oldSelf: Result | undefined): Bindings =>
  (name) =>
    name === "self" ? self : name === "oldSelf" ? oldSelf : undefined;

function optionalOf(value: Result | undefined): CelValue | CelError {
  return value instanceof CelError ? value : new Optional(value);
}

/** The name of a rule in messages. */
const ruleNameOf = (rule: ValidationRule): string => (rule.message || rule.rule).trim();

const defaultMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${ruleNameOf(rule)}`;

function runtimeText(message: string, rule: ValidationRule, stopped: boolean): string {
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleNameOf(rule)}`;
  }
  if (stopped) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleNameOf(rule)}`;
  }
  return `${message} evaluating rule: ${ruleNameOf(rule)}`;
}

function ruleFailure(
  path: string,
  value: unknown,
  type: string,
  rule: ValidationRule,
  message: string,
): FieldError {
  const isStructure = type === "object" || type === "array";
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(path, message);
    case "FieldValueRequired":
      return required(path, message);
    case "FieldValueDuplicate":
      return isStructure ? duplicateStructure(path) : duplicate(path, value);
    default:
      return isStructure ? invalidStructure(path, message) : invalidValue(path, value, message);
  }
}
