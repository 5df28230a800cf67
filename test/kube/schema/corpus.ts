/**
 * The CRD corpus: definitions, objects and verdicts of the API server's own validation code.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { sharedPath } from "../../support/shared.ts";

/** One error of a verdict. */
export interface ExpectedError {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
}

/** What the API server's code says of an object. */
export interface Verdict {
  readonly crd: string;
  readonly version?: string;
  readonly valid: boolean;
  readonly errors: readonly ExpectedError[];
  readonly unknownFields?: readonly string[];
  readonly stored?: Record<string, unknown>;
  readonly decodeError?: string;
}

export function corpusText(...parts: string[]): string {
  const path = sharedPath("corpus", ...parts);
  const bytes = readFileSync(path);
  return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

export function corpusLines<T>(...parts: string[]): T[] {
  return corpusText(...parts)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** A YAML document as sigs.k8s.io/yaml reads most of them; `undefined` for what this parser cannot read. */
export function corpusYaml(text: string): unknown {
  try {
    return withoutNulls(parse(text, { merge: true, uniqueKeys: false, logLevel: "silent" }));
  } catch {
    return undefined;
  }
}

/** Drops undefined, which no JSON has. */
function withoutNulls(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
