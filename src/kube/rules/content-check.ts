/** What the API server objects to in the content of a custom resource, beside its own changes. */
import { formatFieldError } from "../field-errors.ts";
import { copyJson } from "../json.ts";
import type { SentObject } from "../object.ts";
import { embeddedErrors } from "../schema/embedded.ts";
import { listErrors } from "../schema/lists.ts";
import { prune } from "../schema/prune.ts";
import type { Schema } from "../schema/structural.ts";
import { SchemaValidator } from "../schema/validate.ts";
import { RuleChecker } from "./rule-check.ts";

/** Checks objects of one version. */
export class ContentCheck {
  readonly #schema: Schema;
  readonly #validator: SchemaValidator;
  readonly #rules: RuleChecker;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#validator = new SchemaValidator(schema);
    this.#rules = new RuleChecker(schema, true);
  }

  /**
   * The API server's objections to the object, and the fields that it would drop. The rules are run whatever is wrong
   * with the object otherwise, though the API server would not: who tolerates some mistakes has to see all of them.
   */
  mistakes(object: SentObject): readonly string[] {
    const copy = copyJson(object);
    const unknown = prune(copy, this.#schema, { root: true });
    const errors = [
      ...this.#validator.validate(copy),
      ...listErrors(copy, this.#schema),
      ...embeddedErrors(copy, this.#schema),
    ];
    const rules = this.#rules.check(copy, undefined);
    return [
      ...unknown.map((path) => `${path}: the schema does not have this field`),
      ...[...errors, ...rules].map(formatFieldError),
    ];
  }
}
