/**
 * `replacements`: a field of one object copied into fields of others.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { FieldOptions, Replacement } from "./kustomization.ts";
import type { Manifest } from "./resource.ts";
import { isSelected } from "./select.ts";

/** Carries out one replacement. */
export function applyReplacement(
  manifests: readonly Manifest[],
  { source, targets }: Replacement,
): void {
  const { fieldPath = "metadata.name", options, ...selector } = source;
  const sources = manifests.filter((manifest) => isSelected(manifest, selector));
  const [only] = sources;
  if (!only || sources.length > 1) {
    throw broken(`its source ${JSON.stringify(selector)} fits ${sources.length} objects`);
  }
  const whole = readField(only.object, splitPath(fieldPath));
  if (whole === undefined) throw broken(`the source has no field ${fieldPath}`);
  const value = options?.delimiter
    ? textOf(whole).split(options.delimiter)[options.index ?? 0]
    : whole;
  for (const target of targets) {
    for (const manifest of manifests) {
      if (!isSelected(manifest, target.select)) continue;
      if (target.reject?.some((rejected) => isSelected(manifest, rejected))) continue;
      for (const path of target.fieldPaths ?? ["metadata.name"]) {
        writeField(manifest.object, splitPath(path), value, target.options ?? {}, path);
      }
    }
  }
}

/** A delimited field is a text; numbers and booleans read as they are written. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw broken("a delimited field is not a text");
}

/** `.a.b.[x.y/z].0` as its steps; brackets keep dots. */
function splitPath(path: string): string[] {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inner]) => inner ?? whole);
}

function readField(node: unknown, steps: readonly string[]): unknown {
  let at = node;
  for (const step of steps) {
    if (Array.isArray(at)) at = itemOf(at, step);
    else if (isJsonObject(at)) at = at[step];
    else return undefined;
  }
  return at;
}

/** The item that a step into a list means: an index, or `name=value`. */
function itemOf(list: readonly unknown[], step: string): unknown {
  const [, key, value] = /^([^=]+)=(.*)$/.exec(step) ?? [];
  if (key === undefined) return list[Number(step)];
  return list.find((item) => isJsonObject(item) && item[key] === value);
}

function writeField(
  node: unknown,
  steps: readonly string[],
  value: unknown,
  options: FieldOptions,
  path: string,
): void {
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (Array.isArray(node) && step === "*") {
    for (const index of node.keys())
      writeField(node, [String(index), ...rest], value, options, path);
    return;
  }
  const [key, holder] = slotOf(node, step, path);
  if (rest.length === 0) {
    if (holder[key] === undefined && !options.create) throw broken(`a target has no field ${path}`);
    holder[key] = options.delimiter ? withPart(holder[key], value, options) : value;
    return;
  }
  if (holder[key] === undefined) {
    if (!options.create) throw broken(`a target has no field ${path}`);
    holder[key] = {};
  }
  writeField(holder[key], rest, value, options, path);
}

function slotOf(node: unknown, step: string, path: string): [key: string, holder: JsonObject] {
  if (isJsonObject(node)) return [step, node];
  if (!Array.isArray(node)) throw broken(`a target has no field ${path}`);
  const index = step.includes("=") ? node.indexOf(itemOf(node, step)) : Number(step);
  if (!Number.isInteger(index) || index < 0) throw broken(`a target has no field ${path}`);
  return [String(index), node as unknown as JsonObject];
}

function withPart(before: unknown, value: unknown, options: FieldOptions): string {
  const delimiter = options.delimiter ?? "";
  const parts = before === undefined ? [""] : textOf(before).split(delimiter);
  const index = options.index ?? 0;
  if (index < 0) parts.unshift(String(value));
  else if (index >= parts.length) parts.push(String(value));
  else parts[index] = String(value);
  return parts.join(delimiter);
}

function broken(what: string): TsopError {
  return new TsopError(
    "kustomize-replacement",
    `A replacement cannot be carried out: ${what}.`,
    "Compare its source and targets with the manifests.",
  );
}
