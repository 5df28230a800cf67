/** What tsop writes against what controller-gen wrote: parsed, and without what is not compared. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { formatDiagnostic } from "../../src/errors.ts";
import { generate } from "../../src/generator/generate.ts";

/** Where tsop means to differ: paths in the schema, and why. */
export type Differences = Readonly<Record<string, string>>;

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
      if (key === "versions" && Array.isArray(item)) return [key, byName(item)] as const;
      return [key, comparable(item)] as const;
    })
    .filter(([key, item]) => key !== "annotations" || Object.keys(item as object).length > 0);
  return Object.fromEntries(entries);
}

/** Versions by name: which one stands first is up to the generator. */
function byName(versions: readonly unknown[]): unknown[] {
  const named = versions.map((version) => comparable(version) as { readonly name: string });
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
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

/** What is generated from a folder of sources: the CRDs, roles or webhook configurations by path. */
export async function manifestsOf(root: string): Promise<ReadonlyMap<string, string>> {
  const { files, diagnostics } = await generate({ root, sources: ".", cache: false });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map(formatDiagnostic)).toEqual([]);
  return new Map([...files].filter(([path]) => !path.endsWith("kustomization.yaml")));
}

/** Compares a manifest with a golden file: it differs where `meant` says so, and nowhere else. */
export function compareWithGolden(text: string, golden: string, meant: Differences): void {
  const paths = Object.keys(meant);
  const found = differences(documents(text), documents(readFileSync(golden, "utf8"))).map((line) =>
    line.replace(/^\d+\./, "").replace(SCHEMA, ""),
  );
  const isMeant = (line: string): boolean =>
    paths.some((path) =>
      new RegExp(`^${path.replaceAll(".", "\\.").replaceAll("*", "[^.:]+")}[.:]`).test(line),
    );
  expect(found.filter((line) => !isMeant(line))).toEqual([]);
  const stale = paths.filter(
    (path) => !found.some((line) => line.startsWith(path.split("*")[0] ?? path)),
  );
  expect(stale).toEqual([]);
}
