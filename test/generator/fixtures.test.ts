/**
 * Features by example: `input.ts` and the CRD that it makes (`crd.yaml`), with specs that the schema accepts
 * and specs that it rejects; or the errors that it makes (`error.txt`).
 *
 * `UPDATE_FIXTURES=1` writes the CRDs and errors anew.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { formatDiagnostic } from "../../src/errors.ts";
import type { FieldError } from "../../src/kube/field-errors.ts";
import { setDefaults } from "../../src/kube/schema/defaults.ts";
import { listErrors } from "../../src/kube/schema/lists.ts";
import { RuleChecker } from "../../src/kube/schema/rule-check.ts";
import type { Schema } from "../../src/kube/schema/structural.ts";
import { SchemaValidator } from "../../src/kube/schema/validate.ts";
import { generate } from "../../src/generator/generate.ts";

const folder = fileURLToPath(new URL("fixtures/features/", import.meta.url));

function checked(path: string, text: string): void {
  if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}

const specs = (path: string): unknown[] =>
  existsSync(path)
    ? parseAllDocuments(readFileSync(path, "utf8")).map((one) => one.toJS() as unknown)
    : [];

interface Crd {
  readonly spec: { readonly versions: readonly [{ readonly schema: { openAPIV3Schema: Schema } }] };
}

/** What the API server would say of an object with this spec. */
function errorsOf(crd: string, spec: unknown): FieldError[] {
  const { openAPIV3Schema } = (parse(crd) as Crd).spec.versions[0].schema;
  const object = {
    apiVersion: "features.example.com/v1",
    kind: "X",
    metadata: { name: "x" },
    spec,
  };
  setDefaults(object, openAPIV3Schema);
  const errors = [
    ...new SchemaValidator(openAPIV3Schema).validate(object),
    ...listErrors(object, openAPIV3Schema),
  ];
  return errors.length > 0
    ? errors
    : new RuleChecker(openAPIV3Schema, true).check(object, undefined);
}

describe("features", () => {
  for (const name of readdirSync(folder)) {
    const path = (file: string): string => join(folder, name, file);

    it(`${name}: the input makes what stands beside it`, async () => {
      const options = { root: join(folder, name), sources: ".", cache: false };
      const { files, diagnostics } = await generate(options);
      if (diagnostics.length > 0) {
        checked(path("error.txt"), `${diagnostics.map(formatDiagnostic).join("\n")}\n`);
        return;
      }
      const [, crd = ""] = [...files].find(([file]) => file.startsWith("config/crd/bases")) ?? [];
      checked(path("crd.yaml"), crd);
      for (const spec of specs(path("accepts.yaml"))) expect(errorsOf(crd, spec)).toEqual([]);
      for (const spec of specs(path("rejects.yaml"))) {
        expect(errorsOf(crd, spec), JSON.stringify(spec)).not.toEqual([]);
      }
    });
  }
});
