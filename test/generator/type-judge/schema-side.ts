/** What the generator makes of the cases of a batch, and what the API server would say of values. */
import type { Diagnostic } from "../../../src/errors.ts";
import { checkKinds } from "../../../src/generator/check/check.ts";
import { groupVersions } from "../../../src/generator/emit/crd.ts";
import { schemaOf } from "../../../src/generator/emit/schema.ts";
import { Findings } from "../../../src/generator/findings.ts";
import { openModules, readProject } from "../../../src/generator/read-project.ts";
import type { FieldError } from "../../../src/kube/field-errors.ts";
import { RuleChecker } from "../../../src/kube/rules/rule-check.ts";
import { dropNulls, setDefaults } from "../../../src/kube/schema/defaults.ts";
import { listErrors } from "../../../src/kube/schema/lists.ts";
import { prune } from "../../../src/kube/schema/prune.ts";
import { propertyOf, type Schema, schemaOfField } from "../../../src/kube/schema/structural.ts";
import { SchemaValidator } from "../../../src/kube/schema/validate.ts";
import { present } from "../../../src/present.ts";
import { kindOf } from "./case.ts";

/** What was generated for a kind, or said of it. */
export interface Generated {
  /** The schema of the whole object; absent when the kind was refused. */
  readonly schema?: Schema;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the files of cases, and returns what was generated for each. @throws what the generator throws */
export function generateKinds(
  root: string,
  cases: ReadonlyMap<number, ReadonlyMap<string, string>>,
): ReadonlyMap<number, Generated> {
  const files = new Map([...cases.values()].flatMap((own) => [...own]));
  const findings = new Findings();
  const { kinds, conversions } = readProject(openModules(root, files), files, findings);
  checkKinds(groupVersions(kinds, conversions), findings);
  const schemas = new Map(kinds.map(({ kind, type }) => [kind, schemaOf(type)]));
  const diagnostics = new Map<string, Diagnostic[]>();
  for (const one of findings.sorted()) {
    const [, number = ""] = /case(\d+)(?:-\d+)?\.ts$/.exec(one.file) ?? [];
    diagnostics.set(number, [...(diagnostics.get(number) ?? []), one]);
  }
  return new Map(
    [...cases.keys()].map((number) => {
      const schema = schemas.get(kindOf(number));
      return [
        number,
        { ...present({ schema }), diagnostics: diagnostics.get(String(number)) ?? [] },
      ];
    }),
  );
}

/** The schema of the field `v` of the spec. */
export function fieldSchema(schema: Schema): Schema | undefined {
  const spec = propertyOf(schema, "spec");
  return spec && propertyOf(spec, "v");
}

/** What became of a value of the field `v`. */
export interface SchemaVerdict {
  readonly errors: readonly FieldError[];
  /** The value as it is kept; `undefined` when it is dropped. */
  readonly kept: unknown;
}

/** Judges values of the field `v` of a kind's spec. */
export class SchemaJudge {
  readonly #schema: Schema;
  readonly #validator: SchemaValidator;
  readonly #rules: RuleChecker;

  constructor(schema: Schema) {
    this.#schema = schema;
    this.#validator = new SchemaValidator(schema);
    this.#rules = new RuleChecker(schema, true);
  }

  /** The schema of the field `v`. */
  get field(): Schema | undefined {
    return fieldSchema(this.#schema);
  }

  /** Whether the API server takes any list in a part of the value: it does for a text with a format. */
  isSkipped(value: unknown): boolean {
    return hasListAsText(this.field, value);
  }

  /** What the API server does with an object that has the value, as it does it for a create. */
  judge(value: unknown): SchemaVerdict {
    const object = {
      apiVersion: "types.example.com/v1",
      kind: "Case",
      metadata: { name: "case" },
      spec: { v: structuredClone(value) },
    };
    prune(object, this.#schema, { root: true });
    dropNulls(object, this.#schema);
    setDefaults(object, this.#schema);
    const errors = [...this.#validator.validate(object), ...listErrors(object, this.#schema)];
    if (errors.length === 0) errors.push(...this.#rules.check(object, undefined));
    return { errors, kept: object.spec.v };
  }
}

function hasListAsText(schema: Schema | undefined, value: unknown): boolean {
  if (!schema || typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    if (schema.type === "string") return schema.format !== undefined;
    return value.some((item) => hasListAsText(schema.items, item));
  }
  return Object.entries(value).some(([name, field]) =>
    hasListAsText(schemaOfField(schema, name), field),
  );
}
