/**
 * Errors of the rules in CEL of a definition: expressions that do not compile, or cost too much.
 *
 * @see
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#resource-use-by-validation-functions
 */
import { type DeclaredType, declaredType } from "../cel/declared-type.ts";
import { escapeName } from "../cel/escaping.ts";
import { type FieldError, forbidden, internalError, invalidValue } from "../field-errors.ts";
import { type CompiledRule, compileRules } from "./rules.ts";
import { type Schema, type ValidationRule, valuesOf } from "../schema/structural.ts";

const RULE_COST_LIMIT = 10_000_000;
const SCHEMA_COST_LIMIT = 100_000_000;
const CONTRIBUTORS = 4;
const HINT =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";

/** The surroundings of a node. */
interface Place {
  /** The largest number of values of the node; `undefined` when it is not limited. */
  readonly count: number | undefined;
  /** The list around it whose items cannot be correlated with the old ones. */
  readonly uncorrelated: string | undefined;
  /** The type that the nodes above declare; computed only where a rule needs it. */
  readonly type: () => DeclaredType | undefined;
}

/** The total cost of the rules of a schema. */
class CostTally {
  total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  add(path: string, cost: number): void {
    this.total += cost;
    if (cost < SCHEMA_COST_LIMIT / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive = this.#expensive.slice(0, CONTRIBUTORS);
  }

  errors(path: string): FieldError[] {
    if (this.total <= SCHEMA_COST_LIMIT) return [];
    const contributed =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...this.#expensive.map((rule) => forbidden(rule.path, contributed)),
      forbidden(path, tooExpensive(name, this.total, SCHEMA_COST_LIMIT)),
    ];
  }
}

interface RuleErrorOptions {
  /** Whether the schema is stored already: the cost of its rules is then not limited. */
  readonly unchanged?: boolean;
}

/**
 * All errors of the rules of a structural schema.
 *
 * @param others - the other errors: the rules of their nodes are not compiled
 */
export function ruleErrors(
  schema: Schema,
  path: string,
  others: readonly FieldError[],
  { unchanged = false }: RuleErrorOptions = {},
): FieldError[] {
  const tally = new CostTally();
  const errors: FieldError[] = [];
  const visit = (node: Schema, at: string, place: Place): void => {
    const values = valuesOf(node);
    const count = childCount(node, place.count);
    if (values) {
      visit(values, `${at}.additionalProperties`, {
        ...place,
        count,
        type: () => place.type()?.items,
      });
    }
    for (const [name, property] of Object.entries(node.properties ?? {})) {
      visit(property, `${at}.properties[${name}]`, {
        ...place,
        count,
        type: () => fieldOf(place.type(), name) ?? ownType(property),
      });
    }
    if (node.items) {
      const followed = node["x-kubernetes-list-type"] === "map";
      visit(node.items, `${at}.items`, {
        count,
        uncorrelated: place.uncorrelated ?? (followed ? undefined : at),
        type: () => place.type()?.items,
      });
    }
    if (!node["x-kubernetes-validations"]?.length) return;
    if (others.some(({ field }) => isAtOrBelow(field, at))) return;
    const rulesPath = `${at}.x-kubernetes-validations`;
    const type = place.type();
    if (!type) {
      errors.push(internalError(rulesPath, NO_TYPES));
      return;
    }
    const isWhole = node === schema || isEmbedded(node);
    for (const [index, rule] of compileRules(node, type, isWhole).entries()) {
      errors.push(...oneRuleErrors(rule, `${rulesPath}[${index}]`, place, tally, unchanged));
    }
  };
  visit(schema, path, {
    count: 1,
    uncorrelated: undefined,
    type: lazily(() => declaredType(schema, true)),
  });
  return [...errors, ...tally.errors(path)];
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const isAtOrBelow = (field: string, path: string): boolean =>
  field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);

const fieldOf = (type: DeclaredType | undefined, name: string): DeclaredType | undefined => {
  const escaped = escapeName(name);
  return escaped === undefined ? undefined : type?.fields?.get(escaped);
};

/** The type of a property that expressions above cannot name. */
const ownType = (schema: Schema): DeclaredType | undefined =>
  declaredType(schema, isEmbedded(schema));

const isEmbedded = (schema: Schema): boolean => schema["x-kubernetes-embedded-resource"] === true;

/** The largest number of values of the nodes directly below. */
function childCount(schema: Schema, count: number | undefined): number | undefined {
  if (count === undefined) return undefined;
  if (schema.type === "array") {
    return schema.maxItems === undefined ? undefined : count * Math.max(schema.maxItems, 0);
  }
  if (schema.type !== "object" || schema.additionalProperties === undefined) return count;
  const { maxProperties } = schema;
  return maxProperties === undefined ? undefined : count * Math.max(maxProperties, 0);
}

const NO_TYPES =
  "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations";

function oneRuleErrors(
  compiled: CompiledRule,
  path: string,
  place: Place,
  tally: CostTally,
  unchanged: boolean,
): FieldError[] {
  const { rule } = compiled;
  const errors: FieldError[] = [];
  const spend = (at: string, name: string, cost: number): void => {
    if (!unchanged && cost > RULE_COST_LIMIT) {
      errors.push(forbidden(at, tooExpensive(name, cost, RULE_COST_LIMIT)));
    }
    tally.add(at, cost);
  };
  const count = place.count ?? compiled.maxCount;
  spend(`${path}.rule`, "estimated rule cost", compiled.maxCost * count);
  if (compiled.error !== undefined) {
    errors.push(invalidValue(`${path}.rule`, goRule(rule), compiled.error));
  }
  if (compiled.messageError !== undefined) {
    const at = `${path}.messageExpression`;
    errors.push(invalidValue(at, goRule(rule), compiled.messageError));
  } else if (compiled.messageExpression) {
    const at = `${path}.messageExpression`;
    spend(at, "estimated messageExpression cost", compiled.maxMessageCost);
  }
  if (compiled.usesOldSelf) {
    if (place.uncorrelated !== undefined) {
      const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`;
      errors.push(invalidValue(`${path}.rule`, rule.rule, text));
    }
  } else if (rule.optionalOldSelf !== undefined) {
    const text = "may not be set if oldSelf is not used in rule";
    errors.push(invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, text));
  }
  return errors;
}

/** A rule as Go prints it. */
const goRule = (rule: ValidationRule): object => ({
  Rule: rule.rule,
  Message: rule.message ?? "",
  MessageExpression: rule.messageExpression ?? "",
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? "",
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

function tooExpensive(name: string, cost: number, limit: number): string {
  const factor = cost / limit;
  const shown = factor > 100 ? "more than 100x" : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${shown} ${HINT}`;
}
