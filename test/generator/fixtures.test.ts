/**
 * Features by example: `input.ts` and what it makes (`crd.yaml`, `role.yaml`, `webhooks.yaml`), with specs that the
 * schema accepts and specs that it rejects; beside it, in `<feature>-wrong`, mistakes and what is said of them.
 *
 * A document of `accepts.yaml` and `rejects.yaml` is a spec, or an update `{ old, new }` of one.
 * `UPDATE_FIXTURES=1` writes the manifests and errors anew.
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
import { RuleChecker } from "../../src/kube/rules/rule-check.ts";
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

/** An object with this spec, with its defaults. */
function objectOf(spec: unknown, schema: Schema): object {
  const object = {
    apiVersion: "features.example.com/v1",
    kind: "Sample",
    metadata: { name: "sample" },
    spec: structuredClone(spec),
  };
  setDefaults(object, schema);
  return object;
}

const isUpdate = (spec: unknown): spec is { readonly old: unknown; readonly new: unknown } =>
  typeof spec === "object" && spec !== null && "old" in spec && "new" in spec;

/** What the API server would say of an object with this spec, or of the update of one. */
function errorsOf(crd: string, spec: unknown): FieldError[] {
  const { openAPIV3Schema } = (parse(crd) as Crd).spec.versions[0].schema;
  const old = isUpdate(spec) ? objectOf(spec.old, openAPIV3Schema) : undefined;
  const object = objectOf(isUpdate(spec) ? spec.new : spec, openAPIV3Schema);
  const errors = [
    ...new SchemaValidator(openAPIV3Schema).validate(object),
    ...listErrors(object, openAPIV3Schema),
  ];
  return errors.length > 0 ? errors : new RuleChecker(openAPIV3Schema, true).check(object, old);
}

/** What is compared: the name of the fixture's file, and where the generated one is. */
const OUTPUTS = [
  ["crd.yaml", "config/crd/bases"],
  ["role.yaml", "config/rbac/role.yaml"],
  ["webhooks.yaml", "config/webhook/manifests.yaml"],
] as const;

const features = readdirSync(folder);

describe("features", () => {
  for (const name of features.filter((feature) => !feature.endsWith("-wrong"))) {
    const path = (file: string): string => join(folder, name, file);

    it(`${name}: the input makes what stands beside it`, async () => {
      const { files, diagnostics } = await generate({
        root: join(folder, name),
        sources: ".",
        cache: false,
      });
      expect(diagnostics.map(formatDiagnostic)).toEqual([]);
      for (const [file, generated] of OUTPUTS) {
        const [, text] = [...files].find(([written]) => written.startsWith(generated)) ?? [];
        if (text !== undefined) checked(path(file), text);
        else expect(existsSync(path(file))).toBe(false);
      }
      const crd = existsSync(path("crd.yaml")) ? readFileSync(path("crd.yaml"), "utf8") : "";
      for (const spec of specs(path("accepts.yaml"))) expect(errorsOf(crd, spec)).toEqual([]);
      for (const spec of specs(path("rejects.yaml"))) {
        expect(errorsOf(crd, spec), JSON.stringify(spec)).not.toEqual([]);
      }
    });

    it(`${name}: mistakes are told`, async () => {
      const root = join(folder, `${name}-wrong`);
      const { files, diagnostics } = await generate({ root, sources: ".", cache: false });
      expect(files.size).toBe(0);
      checked(join(root, "error.txt"), `${diagnostics.map(formatDiagnostic).join("\n")}\n`);
    });
  }

  it("that go wrong stand beside one that goes right", () => {
    const wrong = features.filter((feature) => feature.endsWith("-wrong"));
    expect(wrong.filter((feature) => !features.includes(feature.replace(/-wrong$/, "")))).toEqual(
      [],
    );
  });
});
