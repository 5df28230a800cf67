/**
 * Fields of objects as kustomize's configuration names them: of which kinds, along which path, and whether a missing
 * one is made. Lists on the way mean each of their items.
 */
import { TsopError } from "../../errors.ts";
import { getField, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { describeManifest, isOfKind, type KindSelector, type Manifest } from "./resource.ts";

/** A field, as transformer configurations name it. */
export interface FieldSpec extends KindSelector {
  /** The steps between slashes; `\/` is a slash in a step, `[]` after a step says that it is a list. */
  readonly path: string;
  /** A missing field is made. */
  readonly create?: boolean;
}

/** A place that a value is read from and written to. */
export interface FieldSlot {
  readonly value: unknown;
  set(value: unknown): void;
}

/** The kind of value that is made where a field is missing. */
type Made = "mapping" | "scalar" | undefined;

/**
 * Calls `visit` for the field wherever the manifest has it.
 *
 * @param made - what a spec with `create` makes of a missing field
 * @throws TsopError `kustomize-path` when a scalar stands in the way
 */
export function visitField(
  manifest: Manifest,
  spec: FieldSpec,
  visit: (slot: FieldSlot) => void,
  made?: Made,
): void {
  const { group, version } = parseApiVersion(manifest.object.apiVersion);
  if (!isOfKind({ group, version, kind: manifest.object.kind }, spec)) return;
  const walk = (slot: FieldSlot, [step, ...rest]: readonly string[]): void => {
    if (step === undefined) {
      visit(slot);
      return;
    }
    const { value: holder } = slot;
    if (holder === null || holder === undefined) return;
    if (Array.isArray(holder)) {
      for (const index of holder.keys()) walk(itemSlot(holder, index), [step, ...rest]);
      return;
    }
    if (!isJsonObject(holder)) {
      throw new TsopError(
        "kustomize-path",
        `${describeManifest(manifest)}: the path ${spec.path} leads through a value that is neither a mapping nor a list.`,
        "Compare the path with the manifest. The path might come from a `configurations` file of the kustomization.",
      );
    }
    const field = step.replace(/\[\]$/, "");
    const isList = field !== step;
    const creates = spec.create === true && made !== undefined && !isList;
    const present = getField(holder, field);
    if (present === undefined && !creates) return;
    if (present === undefined || present === null) {
      const empty = rest.length > 0 || made === "mapping" ? {} : "";
      if (creates) setField(holder, field, empty);
      else if (isList) setField(holder, field, []);
    }
    walk(fieldSlot(holder, field), rest);
  };
  walk({ value: manifest.object, set: () => undefined }, splitPath(spec.path));
}

export function fieldSlot(holder: JsonObject, field: string): FieldSlot {
  return {
    get value() {
      return getField(holder, field);
    },
    set: (value) => setField(holder, field, value),
  };
}

export function itemSlot(holder: unknown[], index: number): FieldSlot {
  return {
    get value() {
      return holder[index];
    },
    set: (value) => (holder[index] = value),
  };
}

/** The steps between delimiters; a backslash before one makes it part of the step. */
export function splitPath(path: string, delimiter = "/"): string[] {
  const steps: string[] = [];
  const parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === "") parts.shift();
  for (const part of parts) {
    const last = steps.at(-1);
    if (last?.endsWith("\\")) steps[steps.length - 1] = `${last.slice(0, -1)}${delimiter}${part}`;
    else steps.push(part);
  }
  return steps;
}

/** Whether both name the same field, the first being of no other kinds than the second. */
function coversSame(one: FieldSpec, other: FieldSpec): boolean {
  return one.path === other.path && isOfKind(one, other);
}

/**
 * The fields of both lists; what is there already is not added again.
 *
 * @throws TsopError `kustomize-configuration` when one makes missing fields and the other does not
 */
export function mergeFieldSpecs(
  own: readonly FieldSpec[],
  further: readonly FieldSpec[],
): readonly FieldSpec[] {
  const merged = [...own];
  for (const spec of further) {
    const twin = merged.find((other) => coversSame(other, spec));
    if (!twin) merged.push(spec);
    else if ((twin.create ?? false) !== (spec.create ?? false)) {
      throw new TsopError(
        "kustomize-configuration",
        `The field ${spec.path} is configured twice, once with \`create: true\` and once without.`,
        "Give both the same `create`; kustomize's own configuration counts too.",
      );
    }
  }
  return merged;
}
