/**
 * Fields that a rule reads although objects may leave them out: the rule then fails with "no such key", which
 * refuses the object in words that nobody understands.
 *
 * @module
 */
import { childrenOf, type Expr } from "../kube/schema/cel/expression.ts";
import { kubernetesEnvironment } from "../kube/schema/cel/libraries.ts";
import { parse } from "../kube/schema/cel/parser.ts";
import { propertyOf, type Schema } from "../kube/schema/structural.ts";

/**
 * The paths in a rule, such as `self.replicas`, that may lead nowhere and that the rule never asks `has()` of.
 *
 * @param schema - of the value that the rule is on
 */
export function unguardedFields(rule: string, schema: Schema): string[] {
  const parsed = parse(rule, kubernetesEnvironment.macros);
  if ("issues" in parsed) return [];
  const read = new Map<string, readonly string[]>();
  const asked = new Set<string>();
  collect(parsed.expr, read, asked);
  return [...read]
    .filter(([path, steps]) => !asked.has(path) && mayBeAbsent(steps, schema))
    .map(([path]) => path);
}

/** Notes the fields that are read, and those that are asked for. */
function collect(node: Expr, read: Map<string, readonly string[]>, asked: Set<string>): void {
  if (node.kind === "select") {
    const steps = stepsOf(node);
    if (steps && node.test) asked.add(steps.join("."));
    else if (steps) read.set(steps.join("."), steps);
  }
  if (node.kind === "call" && node.name.startsWith("_?.")) {
    const [operand, field] = node.args;
    const steps = operand && stepsOf(operand);
    if (steps && field?.kind === "literal") asked.add([...steps, String(field.value)].join("."));
  }
  for (const child of childrenOf(node)) collect(child, read, asked);
}

/** `["self", "a", "b"]` for `self.a.b`. */
function stepsOf(node: Expr): readonly string[] | undefined {
  if (node.kind === "ident") return node.name === "self" ? ["self"] : undefined;
  if (node.kind !== "select") return undefined;
  const before = stepsOf(node.operand);
  return before && [...before, node.field];
}

/** What every object has, whatever its schema says. */
const ALWAYS = new Set(["metadata", "apiVersion", "kind"]);

/** Whether the last step is a field that an object may leave out. */
function mayBeAbsent([, ...steps]: readonly string[], schema: Schema): boolean {
  let at = schema;
  for (const [index, step] of steps.entries()) {
    const field = propertyOf(at, step);
    if (!field || ALWAYS.has(step)) return false;
    if (index === steps.length - 1) {
      return !at.required?.includes(step) && field.default === undefined;
    }
    at = field;
  }
  return false;
}
