/**
 * Fields that a rule reads although objects may leave them out: the rule then fails with "no such key", which
 * refuses the object in words that nobody understands.
 */
import { childrenOf, type Expr } from "../../kube/cel/expression.ts";
import { kubernetesEnvironment } from "../../kube/cel/libraries.ts";
import { parse } from "../../kube/cel/syntax/parser.ts";
import { propertyOf, type Schema } from "../../kube/schema/structural.ts";

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

/** Collects the fields that are read, and those whose presence is tested. */
function collect(node: Expr, read: Map<string, readonly string[]>, asked: Set<string>): void {
  const found = pathOf(node);
  if (found) {
    const { steps, optional } = found;
    if (optional || (node.kind === "select" && node.test)) asked.add(steps.join("."));
    else read.set(steps.join("."), steps);
  }
  for (const child of childrenOf(node)) collect(child, read, asked);
}

/** A path from `self` on; it is optional from the first `.?` on. */
interface FieldPath {
  readonly steps: readonly string[];
  readonly optional: boolean;
}

/** The path of `self.a.b`: `["self", "a", "b"]`. */
function pathOf(node: Expr): FieldPath | undefined {
  if (node.kind === "ident") {
    return node.name === "self" ? { steps: ["self"], optional: false } : undefined;
  }
  if (node.kind === "select") {
    const before = pathOf(node.operand);
    return before && { ...before, steps: [...before.steps, node.field] };
  }
  if (node.kind !== "call" || node.name !== "_?._") return undefined;
  const [operand, field] = node.args;
  const before = operand && pathOf(operand);
  return before && field?.kind === "literal"
    ? { steps: [...before.steps, String(field.value)], optional: true }
    : undefined;
}

/** Fields that every object has, whatever its schema says. */
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
