/** `replacements`: a field of one object copied into fields of others. */
import { TsopError } from "../../errors.ts";
import { copyJson, encodeJson, isJsonObject } from "../../kube/json.ts";
import { readYaml } from "../project/yaml/yaml-documents.ts";
import { findSlots, MADE, type MadeValue, readPath, splitFieldPath } from "./field-path.ts";
import type { FieldSlot } from "./field-specs.ts";
import type { Placed } from "./fields.ts";
import type { FieldOptions, Replacement } from "./kustomization.ts";
import {
  inSameNamespace,
  isOfKind,
  type Manifest,
  type ResourceId,
  scalarText,
} from "./resource.ts";
import type { RenderingLimits } from "./rendering-limits.ts";
import { hasSelectedPairs, selectsId } from "./select.ts";

/** Carries out one replacement. @throws TsopError `kustomize-replacement`, `kustomize-limit` */
export function applyReplacement(
  manifests: readonly Manifest[],
  replacement: Placed<Replacement>,
  limits: RenderingLimits,
): void {
  const { at, targets } = replacement;
  const value = sourceValue(manifests, replacement);
  const bytes = Buffer.byteLength(encodeJson(value));
  const count = (copies: number): void => limits.addCopied(bytes * copies, at);
  for (const target of targets) {
    for (const manifest of manifests) {
      if (!hasSelectedPairs(manifest, target.select)) continue;
      const { reject = [] } = target;
      const { ids } = manifest;
      if (reject.some((one) => hasPairSelector(one) && hasSelectedPairs(manifest, one))) continue;
      if (reject.some((one) => hasIdSelector(one) && ids.some((id) => selectsId(one, id)))) {
        continue;
      }
      if (!ids.some((id) => selectsId(target.select, id))) continue;
      const { fieldPaths = [], options = {} } = target;
      for (const path of fieldPaths.length > 0 ? fieldPaths : ["metadata.name"]) {
        writeValue(manifest, path, value, { options, at, count });
      }
    }
  }
}

const hasPairSelector = (selector: object): boolean =>
  "labelSelector" in selector || "annotationSelector" in selector;
const hasIdSelector = (selector: object): boolean =>
  ["group", "version", "kind", "name", "namespace"].some((field) => field in selector);

function sourceValue(manifests: readonly Manifest[], replacement: Placed<Replacement>): unknown {
  const { source, sourceValue: fixed, at } = replacement;
  if (!source) return fixed ?? "";
  const { fieldPath = "", options = {} } = source;
  const wanted: ResourceId = {
    group: source.group ?? "",
    version: source.version ?? "",
    kind: source.kind ?? "",
    name: source.name ?? "",
    namespace: source.namespace ?? "",
  };
  const sources = manifests.filter(({ ids }) => ids.some((id) => isWanted(id, wanted)));
  const [only] = sources;
  if (!only || sources.length > 1) {
    const { group, version, kind, name, namespace } = source;
    const shown = JSON.stringify({ group, version, kind, name, namespace });
    throw broken(at, `its source ${shown} fits ${sources.length} objects`);
  }
  const path = fieldPath === "" ? "metadata.name" : fieldPath;
  const whole = readPath(only.object, splitFieldPath(path));
  if (whole === undefined || whole === null || isEmpty(whole)) {
    throw broken(at, `the source has no field ${path}`);
  }
  return part(whole, options, at);
}

function isWanted(id: ResourceId, wanted: ResourceId): boolean {
  return (
    (wanted.name === "" || wanted.name === id.name) &&
    (wanted.namespace === "" || inSameNamespace({ ...id, namespace: wanted.namespace }, id)) &&
    isOfKind(id, wanted)
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function part(whole: unknown, { delimiter = "", index = 0 }: FieldOptions, at: string): unknown {
  if (delimiter === "") return whole;
  if (typeof whole === "object") throw broken(at, "a delimited field is not a string");
  const found = scalarText(whole).split(delimiter)[index];
  if (found === undefined) {
    throw broken(at, `${JSON.stringify(whole)} has no part ${index} between ${delimiter}`);
  }
  return found;
}

/** The way in which a target is written. */
interface Writing {
  readonly options: FieldOptions;
  /** The place of the replacement, for messages. */
  readonly at: string;
  /** Called with the number of copies before they are made. */
  readonly count: (copies: number) => void;
}

function writeValue(
  manifest: Manifest,
  path: string,
  value: unknown,
  { options, at, count }: Writing,
): void {
  const steps = splitFieldPath(path);
  const root: FieldSlot = { value: manifest.object, set: () => undefined };
  const made = options.create ? madeFor(value) : undefined;
  if (writeInText(root, steps, value, { made, count })) return;
  const slots = findSlots(root, steps, made);
  if (typeof slots === "string") throw broken(at, `${path}: ${slots}`);
  if (slots.length === 0) throw broken(at, `a target has no field ${path}`);
  count(slots.length);
  for (const slot of slots) slot.set(written(slot.value, value, options, at));
}

function madeFor(value: unknown): MadeValue {
  if (Array.isArray(value)) return "list";
  return isJsonObject(value) ? "mapping" : "scalar";
}

function written(before: unknown, value: unknown, options: FieldOptions, at: string): unknown {
  const { delimiter = "", index = 0 } = options;
  const former = before === MADE ? "" : before;
  if (delimiter !== "") {
    if (typeof former === "object" && former !== null) {
      throw broken(at, "a delimited field is not a string");
    }
    const parts = scalarText(former).split(delimiter);
    if (index < 0) parts.unshift(scalarText(value));
    else if (index >= parts.length) parts.push(scalarText(value));
    else parts[index] = scalarText(value);
    return retyped(before, parts.join(delimiter));
  }
  if (typeof former === "object" && former !== null) return copyJson(value);
  if (typeof value === "object" && value !== null) {
    if (former === "" || former === null || former === undefined) return copyJson(value);
    throw broken(at, "a mapping or list cannot replace a single value");
  }
  return retyped(before, scalarText(value));
}

/** A text as the type of what it replaces: a number stays one when the text is one. */
function retyped(before: unknown, text: string): unknown {
  if (typeof before === "string") return text;
  const [document] = readYaml(text, "a replacement");
  const value = document?.value;
  return typeof value === "object" || value === undefined ? text : value;
}

/** Writes into YAML or JSON that a single value holds as text. */
function writeInText(
  root: FieldSlot,
  steps: readonly string[],
  value: unknown,
  { made, count }: Pick<Writing, "count"> & { readonly made: MadeValue | undefined },
): boolean {
  for (let length = 1; length < steps.length; length++) {
    const found = findSlots(root, steps.slice(0, length));
    const [slot] = typeof found === "string" ? [] : found;
    if (typeof slot?.value !== "string") continue;
    const text = slot.value;
    if (!/^\s*[{[]/.test(text)) return false;
    const content = parsed(text);
    if (content === undefined) return false;
    const holder: FieldSlot = { value: content, set: () => undefined };
    const inner = findSlots(holder, steps.slice(length), made);
    if (typeof inner === "string" || inner.length === 0) return false;
    count(inner.length);
    for (const one of inner)
      one.set(isJsonObject(one.value) ? value : retyped(one.value, scalarText(value)));
    const pretty = text.includes("\n") && text.includes("  ");
    slot.set(pretty ? JSON.stringify(sorted(content), undefined, 2) : encodeJson(sorted(content)));
    return true;
  }
  return false;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The value with the keys of its mappings sorted, as Go writes them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function broken(at: string, what: string): TsopError {
  return new TsopError(
    "kustomize-replacement",
    `${at}: the replacement cannot be carried out: ${what}.`,
    "Compare its source and targets with the manifests.",
  );
}
