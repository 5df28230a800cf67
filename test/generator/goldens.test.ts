/**
 * The cases of the atlas, written as a TypeScript author would, against what controller-gen wrote for
 * the Go types.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { formatDiagnostic } from "../../src/errors.ts";
import { generate } from "../../src/generator/generate.ts";
import { describeShared, sharedPath } from "../support/shared.ts";

const fixtures = fileURLToPath(new URL("fixtures/atlas/", import.meta.url));

const INTERSECTED = "bounds are intersected: the API server's cost estimates cannot see into allOf";
const REAL_METADATA =
  "metadata in a template has its real fields; its labels would be pruned otherwise";
const UNCHECKED = "controller-gen does not look whether a column's field exists; the case adds it";
const ALIAS = "Kubernetes' OpenAPI description has no text for the alias of a string";
const REFUSED = "the API server refuses the rule that controller-gen passed on";
const SPILLED = "controller-gen spills map-type atomic from an inlined LocalObjectReference";

/** Where tsop means to differ: paths in the schema (`*` is any step), and why. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "alias-same-marker-twice": { "spec.a.allOf": INTERSECTED, "spec.a.minimum": INTERSECTED },
  aliases: {
    "spec.a.allOf": INTERSECTED,
    "spec.a.maximum": INTERSECTED,
  },
  cel: {
    "spec.d.x-kubernetes-validations.1.messageExpression": REFUSED,
    "spec.e.x-kubernetes-validations.1.rule": REFUSED,
    "spec.g.items.x-kubernetes-validations.0.rule": REFUSED,
  },
  columns: { "spec.n": UNCHECKED, status: UNCHECKED },
  "generics-and-type-alias": { "spec.a.description": "an alias of TypeScript has its own text" },
  "int-or-string": {
    "spec.a.anyOf": "a type keyword would refuse the numbers that the field is to take",
    "spec.a.type": "a type keyword would refuse the numbers that the field is to take",
    "spec.required": "a default makes a field optional",
  },
  lists: { "spec.i.items.items.maxLength": "controller-gen loses what is said of items of items" },
  "pod-template": {
    "spec.template.metadata": REAL_METADATA,
    "spec.template.spec.volumes.items.ephemeral.volumeClaimTemplate.metadata": REAL_METADATA,
    ...Object.fromEntries(
      ["containers", "ephemeralContainers", "initContainers"].flatMap((list) => [
        [
          `spec.template.spec.${list}.items.envFrom.items.configMapRef.x-kubernetes-map-type`,
          SPILLED,
        ],
        [`spec.template.spec.${list}.items.envFrom.items.secretRef.x-kubernetes-map-type`, SPILLED],
        [
          `spec.template.spec.${list}.items.securityContext.capabilities.add.items.description`,
          ALIAS,
        ],
        [
          `spec.template.spec.${list}.items.securityContext.capabilities.drop.items.description`,
          ALIAS,
        ],
      ]),
    ),
    "spec.template.spec.volumes.items.configMap.x-kubernetes-map-type": SPILLED,
    "spec.template.spec.volumes.items.projected.sources.items.configMap.x-kubernetes-map-type":
      SPILLED,
    "spec.template.spec.volumes.items.projected.sources.items.secret.x-kubernetes-map-type":
      SPILLED,
  },
};

/** Cases whose golden was written with an option that is how tsop always works. */
const OTHER_GOLDEN: Readonly<Record<string, string>> = {
  "object-meta": "generateEmbeddedObjectMeta-true.yaml",
};

/** What is compared: `required` as a set, texts without regard to line breaks, no generator's annotation. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => key !== "controller-gen.kubebuilder.io/version")
    .map(([key, item]: [string, unknown]) => {
      if (key === "required" && Array.isArray(item)) return [key, item.map(String).sort()] as const;
      if (key === "description" && typeof item === "string") {
        return [key, item.replace(/\s+/g, "")] as const;
      }
      return [key, comparable(item)] as const;
    })
    .filter(([key, item]) => key !== "annotations" || Object.keys(item as object).length > 0);
  return Object.fromEntries(entries);
}

/** The paths at which two values differ; the steps that only say "properties" are left out. */
function differences(actual: unknown, expected: unknown, path: string[] = []): string[] {
  const bothObjects =
    typeof actual === "object" &&
    actual !== null &&
    typeof expected === "object" &&
    expected !== null;
  if (!bothObjects) {
    return actual === expected
      ? []
      : [`${path.join(".")}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
  }
  const [a, b] = [actual as Record<string, unknown>, expected as Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differences(a[key], b[key], key === "properties" ? path : [...path, key]),
  );
}

const SCHEMA = "spec.versions.0.schema.openAPIV3Schema.";

function documents(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => comparable(document.toJS()));
}

describeShared("goldens", "the atlas of controller-gen", () => {
  for (const name of readdirSync(fixtures)) {
    it(`${name} comes out as from Go`, async () => {
      const { files, diagnostics } = await generate({
        root: join(fixtures, name),
        sources: ".",
        cache: false,
      });
      const errors = diagnostics.filter(({ severity }) => severity === "error");
      expect(errors.map(formatDiagnostic)).toEqual([]);
      const written = [...files].find(([path]) => /config\/(?:crd\/bases|rbac)\//.test(path));
      expect(written).toBeDefined();
      const [path = "", text = ""] = written ?? [];
      const golden = sharedPath(
        "goldens/atlas",
        name,
        OTHER_GOLDEN[name] ?? path.split("/").at(-1) ?? "",
      );
      const expected = documents(readFileSync(golden, "utf8"));

      const meant = Object.keys(DIFFERENCES[name] ?? {});
      const found = differences(documents(text), expected).map((line) =>
        line.replace(/^\d+\./, "").replace(SCHEMA, ""),
      );
      const surprising = found.filter(
        (line) =>
          !meant.some((prefix) => line.startsWith(`${prefix}:`) || line.startsWith(`${prefix}.`)),
      );
      expect(surprising).toEqual([]);
      const stale = meant.filter((prefix) => !found.some((line) => line.startsWith(prefix)));
      expect(stale).toEqual([]);
    });
  }
});
