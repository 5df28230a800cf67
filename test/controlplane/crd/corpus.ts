/** The CRD corpus: definitions, objects and verdicts of the API server's own validation code. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { readJson } from "../../../src/controlplane/wire/json/json-scanner.ts";
import type { Definition } from "../../../src/kube/definition/definition.ts";
import { readBuiltIn } from "../../../src/controlplane/wire/built-in-reader.ts";
import { readYaml } from "../../../src/controlplane/wire/bodies/yaml-reader.ts";
import { WireError } from "../../../src/controlplane/wire/json/wire-error.ts";
import { sharedPath } from "../../support/shared.ts";

const DEFINITION =
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";

/** One error of a verdict. */
interface ExpectedError {
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
    .map((line) => readJson(line) as T);
}

/** A YAML document as the control plane reads it; `undefined` for what it cannot read. */
export function corpusYaml(text: string): unknown {
  try {
    return readYaml(Buffer.from(text)).value;
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** A definition as the control plane reads it from a request. */
export function corpusDefinition(text: string): Definition | undefined {
  const value = corpusYaml(text);
  if (value === undefined) return undefined;
  return readBuiltIn(value, DEFINITION, []) as Definition;
}
