/**
 * The part of an object that a write is about: the fields that a field manager owns, by the object's managedFields,
 * or the fields that a patch names.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
import { encodeJson, getField, isJsonObject } from "../../kube/json.ts";
import { isPlainObject } from "../../kube/canonical-json.ts";
import type { KubeObject } from "../../kube/object.ts";

/** A field manager of server-side apply, for one subresource or for the object itself. */
export interface Applier {
  readonly manager: string;
  readonly subresource: string | undefined;
}

/** Deeper parts are taken whole: recursion is limited by the stack. */
const DEEPEST = 200;

/** The fields that a manager owns by its applies, as managedFields name them; `undefined` for none. */
export function ownedFields(
  managedFields: unknown,
  { manager, subresource }: Applier,
): object | undefined {
  if (!Array.isArray(managedFields)) return undefined;
  for (const entry of managedFields as unknown[]) {
    if (!isJsonObject(entry) || entry["operation"] !== "Apply") continue;
    if (entry["manager"] !== manager || (entry["subresource"] ?? "") !== (subresource ?? ""))
      continue;
    const fields = entry["fieldsV1"];
    return isJsonObject(fields) ? fields : undefined;
  }
  return undefined;
}

/**
 * The owned fields with their values, as JSON values in the order of the server. Two objects have equal parts if the
 * manager owns the same fields in both, with the same values and in the same order of list items. The contents of a list
 * or map that is owned as a whole count, too: who writes in the manager's name changes an atomic one without a trace in the
 * owned fields. An empty map looks the same there, although others may add to it: in the metadata, which has no atomic
 * fields, the contents do not count; elsewhere what they add makes one more apply.
 */
export function ownedPart(object: KubeObject, fields: object): unknown {
  return partOf(object, fields, { level: 0, isMetadata: false });
}

/** Where a field is. */
interface Place {
  readonly level: number;
  readonly isMetadata: boolean;
}

/** The value of a field, if it exists: `null` is a value. */
function existing(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}

function partOf(value: unknown, set: object, { level, isMetadata }: Place): unknown {
  const names = Object.keys(set);
  if (names.length === 0) {
    const isUnowned = level === 0 || (isMetadata && typeof value === "object" && value !== null);
    return existing(isUnowned ? undefined : value);
  }
  if (level === DEEPEST) return [set, ...existing(value)];
  const sets = set as Readonly<Record<string, object>>;
  if (Array.isArray(value)) return itemsOf(value, sets, { level, isMetadata });
  return names.map((name) => {
    // The other one is ".", the object itself.
    if (!name.startsWith("f:")) return [name];
    const field = isJsonObject(value) ? getField(value, name.slice(2)) : undefined;
    const place = {
      level: level + 1,
      isMetadata: isMetadata || (level === 0 && name === "f:metadata"),
    };
    return [name, partOf(field, sets[name] ?? {}, place)];
  });
}

/** The owned items of a list, in the order of the list; all items where an owned one is not found by its key. */
function itemsOf(
  list: readonly unknown[],
  sets: Readonly<Record<string, object>>,
  { level, isMetadata }: Place,
): unknown {
  const wanted = Object.keys(sets).filter((name) => name !== ".");
  const keyFields = keyFieldsOf(wanted[0] ?? "");
  const found = new Set<string>();
  const items: unknown[] = [];
  for (const item of list) {
    const name = itemName(item, keyFields);
    const set = getField(sets, name);
    if (set === undefined) continue;
    found.add(name);
    items.push([name, partOf(item, set, { level: level + 1, isMetadata })]);
  }
  return found.size === wanted.length ? items : [sets, list];
}

/** The name of an item in managedFields: `k:{"name":"web"}` for items with keys, `v:"web"` in a set. */
function itemName(item: unknown, keyFields: readonly string[]): string {
  if (keyFields.length === 0) return `v:${encodeJson(item)}`;
  if (!isJsonObject(item)) return "";
  return `k:${encodeJson(Object.fromEntries(keyFields.map((field) => [field, getField(item, field)])))}`;
}

function keyFieldsOf(name: string): readonly string[] {
  if (!name.startsWith("k:")) return [];
  try {
    return Object.keys(JSON.parse(name.slice(2)) as object);
  } catch {
    // Not a key that a server writes; no item has it, so the list is taken whole.
    return [];
  }
}

/** What the server sets or checks, and nobody owns. */
const UNOWNED = new Set(["apiVersion", "kind", "status"]);
const OWNED_METADATA = new Set(["labels", "annotations", "finalizers", "ownerReferences"]);

/**
 * Whether the owned fields show all that the intent led to. Those of `stringData` of a Secret do not, which the server
 * keeps as `data`, nor those of an empty list with keys, which has no item to own.
 */
export function isShownBy(fields: object, intent: object, object: KubeObject): boolean {
  const { metadata = {}, ...rest } = intent as { metadata?: object };
  const spec = Object.entries(rest).filter(([name]) => !UNOWNED.has(name));
  const meta = Object.entries(metadata).filter(([name]) => OWNED_METADATA.has(name));
  const sets = fields as Readonly<Record<string, object>>;
  return (
    areShown(spec, sets, object, 0) &&
    areShown(meta, (sets["f:metadata"] ?? {}) as typeof sets, object.metadata, 1)
  );
}

function areShown(
  intent: readonly [string, unknown][],
  sets: Readonly<Record<string, object>>,
  object: unknown,
  level: number,
): boolean {
  // Owned as a whole.
  if (level > 0 && Object.keys(sets).length === 0) return true;
  return intent.every(([name, value]) => {
    if (value === undefined || value === null) return true;
    const set = getField(sets, `f:${name}`);
    const stored = isJsonObject(object) ? getField(object, name) : undefined;
    if (set === undefined) return false;
    // What is empty, false or zero may be left out.
    if (!isPlainObject(value)) return stored !== undefined || isEmpty(value);
    const fields = Object.entries(value);
    return level === DEEPEST || areShown(fields, set as typeof sets, stored, level + 1);
  });
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : !value;
}

/** Everything that others can change in an object, except for its metadata; of the subresource, its status. */
export function contentOf(object: KubeObject, { subresource }: Applier): object {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    status,
    ...rest
  } = object as KubeObject & { status?: unknown };
  return subresource === "status" ? { status } : rest;
}

/** The values of the fields that a merge patch names, as JSON values. */
export function namedPart(value: unknown, patch: unknown, level = 0): unknown {
  if (!isPlainObject(patch) || level === DEEPEST) return existing(value);
  const fields = isJsonObject(value) ? value : undefined;
  const parts: unknown[] = [fields !== undefined];
  for (const [name, part] of Object.entries(patch)) {
    if (part === undefined) continue;
    parts.push([name, namedPart(fields && getField(fields, name), part, level + 1)]);
  }
  return parts;
}
