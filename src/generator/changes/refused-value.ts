/** Proves what a narrower schema does: a value that was valid and is refused, or that there is none. */
import { copyJson } from "../../kube/json.ts";
import type { Json } from "../../kube/object.ts";
import { RuleChecker } from "../../kube/rules/rule-check.ts";
import { setDefaults } from "../../kube/schema/defaults.ts";
import { listErrors } from "../../kube/schema/lists.ts";
import type { Schema, ValidationRule } from "../../kube/schema/structural.ts";
import { SchemaValidator } from "../../kube/schema/validate.ts";
import { tableOf } from "../../table.ts";
import type { Finding } from "./change.ts";
import { oldValues, showValue } from "./old-values.ts";
import { textOnlyIn } from "./pattern-inclusion.ts";

const NUMERIC = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
] as const;

/** Keywords that say nothing without each other: those of the new schema are tried together. */
const TOGETHER = tableOf<readonly (keyof Schema)[]>({
  ...Object.fromEntries(NUMERIC.map((keyword) => [keyword, NUMERIC])),
  type: ["type", "format", "x-kubernetes-int-or-string", "anyOf", "allOf"],
  format: ["format"],
  minLength: ["minLength"],
  maxLength: ["maxLength"],
  minItems: ["minItems"],
  maxItems: ["maxItems"],
  minProperties: ["minProperties"],
  maxProperties: ["maxProperties"],
  pattern: ["pattern"],
  enum: ["enum"],
  allOf: ["allOf"],
  anyOf: ["anyOf"],
  oneOf: ["oneOf"],
  not: ["not"],
  "x-kubernetes-list-type": ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"],
  "x-kubernetes-list-map-keys": ["x-kubernetes-list-map-keys"],
});

/** One node of a schema, before and after, and the values that the old one takes. */
export class Narrowing {
  readonly #before: Schema;
  readonly #after: Schema;
  #values: readonly Json[] | undefined;

  constructor(before: Schema, after: Schema) {
    this.#before = before;
    this.#after = after;
  }

  /** The finding with the value that proves it; a safe one where every old value is still valid. */
  proved(finding: Finding): Finding {
    const keywords = TOGETHER.get(finding.keyword);
    if (finding.severity !== "breaking" || !keywords) return finding;
    const changed = this.#with(keywords);
    const refused = this.#refusedBy(changed);
    if (refused !== undefined) return withValue(finding, refused);
    if (finding.keyword === "pattern") return this.#provedPattern(finding, changed);
    if (this.#isComplete(finding.keyword)) {
      return {
        ...finding,
        severity: "safe",
        message: `${finding.message}; every old value is still valid`,
      };
    }
    const isChoice = ["allOf", "anyOf", "oneOf", "not"].includes(finding.keyword);
    return isChoice && this.#tried.length > 1 ? this.#withoutProof(finding) : finding;
  }

  /**
   * The finding about a new rule.
   * @param isRewritten - whether other rules of the node went away: it may say the same in other words
   */
  provedRule(finding: Finding, rule: ValidationRule, isRewritten: boolean): Finding {
    if (finding.severity !== "breaking") return finding;
    const rules = new RuleChecker({ ...this.#after, "x-kubernetes-validations": [rule] }, false);
    const refused = this.#tried.find((value) => {
      const copy = copyJson(value);
      setDefaults(copy, this.#after);
      return rules.check(copy, undefined).length > 0;
    });
    if (refused !== undefined) return withValue(finding, refused);
    return isRewritten && this.#tried.length > 1 ? this.#withoutProof(finding) : finding;
  }

  get #tried(): readonly Json[] {
    return (this.#values ??= oldValues(this.#before, this.#after));
  }

  /** The old schema with some keywords of the new one. */
  #with(keywords: readonly (keyof Schema)[]): Schema {
    const { ...changed } = this.#before as Record<string, unknown>;
    for (const keyword of keywords) {
      delete changed[keyword];
      if (this.#after[keyword] !== undefined) changed[keyword] = this.#after[keyword];
    }
    return changed;
  }

  #refusedBy(schema: Schema): Json | undefined {
    const validator = new SchemaValidator(schema);
    return this.#tried.find(
      (value) => validator.validate(value).length > 0 || listErrors(value, schema).length > 0,
    );
  }

  /** Whether the values that were tried include one of each sort, so that no other one can be refused. */
  #isComplete(keyword: string): boolean {
    if (this.#before.enum) return true;
    return NUMERIC.some((name) => name === keyword);
  }

  #provedPattern(finding: Finding, changed: Schema): Finding {
    const found = textOnlyIn(this.#before.pattern ?? "", this.#after.pattern ?? "");
    if (found === "unknown") return finding;
    if (found === "none") {
      const message = `${finding.message}; it takes every text that the old one took`;
      return { ...finding, severity: "safe", message };
    }
    const wasValid = new SchemaValidator(this.#before).validate(found.text).length === 0;
    const isValid = new SchemaValidator(changed).validate(found.text).length === 0;
    return wasValid && !isValid ? withValue(finding, found.text) : finding;
  }

  #withoutProof(finding: Finding): Finding {
    const count = String(this.#tried.length);
    const message = `${finding.message}; of ${count} old values that were tried, none is refused`;
    return { ...finding, severity: "risky", message };
  }
}

function withValue(finding: Finding, value: Json): Finding {
  return {
    ...finding,
    message: `${finding.message}; ${showValue(value)} was valid and is refused now`,
  };
}
