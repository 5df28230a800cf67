/**
 * The difference between two states of an object, field by field. The values of Secrets are never
 * in it.
 *
 * @module
 */
import { isJsonObject, sameJson } from "../../kube/json.ts";
import type { Json } from "../../kube/object.ts";
import type { FieldChange, FieldChanges } from "./entry.ts";

const MOST_CHANGES = 40;
const MOST_CHARACTERS = 200;
const HIDDEN = "(hidden)";
/** The fields that identify an item of a list, instead of its index: as in apply. */
const ITEM_NAMES = ["name", "type"];
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
/** Fields that the server itself maintains, and those that identify the object. */
const NOT_TOLD = new Set([
  "metadata.managedFields",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.uid",
  "metadata.creationTimestamp",
  "metadata.name",
  "metadata.namespace",
  `metadata.annotations["${LAST_APPLIED}"]`,
  "apiVersion",
  "kind",
]);
const PLAIN_NAME = /^[A-Za-z_][\w-]*$/;

/**
 * The fields of `after` that differ from `before`; all of them where there was nothing before.
 *
 * @param isSecret - leaves out the values, which are confidential
 */
export function fieldChanges(before: unknown, after: unknown, isSecret: boolean): FieldChanges {
  const found: FieldChange[] = [];
  let more = 0;
  const add = (path: string, old: unknown, now: unknown): void => {
    if (found.length >= MOST_CHANGES) {
      more++;
      return;
    }
    const hidden = isSecret && SECRET_FIELDS.test(path);
    const shown = (value: unknown): Json => (hidden ? HIDDEN : shortened(value));
    found.push({
      path,
      ...(old === undefined ? {} : { before: shown(old) }),
      ...(now === undefined ? {} : { after: shown(now) }),
    });
  };
  compare("", before, after, add);
  return { changes: found, ...(more > 0 && { more }) };
}

const SECRET_FIELDS = /^(?:data|stringData|spec|status)(?:[.[]|$)/;
type Add = (path: string, old: unknown, now: unknown) => void;

function compare(path: string, old: unknown, now: unknown, add: Add): void {
  if (NOT_TOLD.has(path) || sameJson(old, now)) return;
  const fields = fieldsOf(old, now) ?? itemsOf(old, now);
  if (!fields || isShort(old, now)) {
    add(path, old, now);
    return;
  }
  for (const [step, before, after] of fields) {
    compare(path === "" ? step.replace(/^\./, "") : `${path}${step}`, before, after, add);
  }
}

/** A new or removed part that fits on a line is one change. */
function isShort(old: unknown, now: unknown): boolean {
  if ((old === undefined) === (now === undefined)) return false;
  const value = old ?? now;
  if (Array.isArray(value)) return textOf(value).length <= MOST_CHARACTERS;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

type Field = readonly [step: string, old: unknown, now: unknown];

function fieldsOf(old: unknown, now: unknown): Field[] | undefined {
  if (!isJsonObject(old ?? {}) || !isJsonObject(now ?? {})) return undefined;
  if (old === undefined && now === undefined) return undefined;
  const [before, after] = [old ?? {}, now ?? {}] as [object, object];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].map((name) => [
    PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`,
    Reflect.get(before, name),
    Reflect.get(after, name),
  ]);
}

function itemsOf(old: unknown, now: unknown): Field[] | undefined {
  if (!Array.isArray(old ?? []) || !Array.isArray(now ?? [])) return undefined;
  const [before, after] = [old ?? [], now ?? []] as [unknown[], unknown[]];
  for (const name of ITEM_NAMES) {
    const [olds, nows] = [named(before, name), named(after, name)];
    if (!olds || !nows) continue;
    const keys = new Set([...olds.keys(), ...nows.keys()]);
    return [...keys].map((key) => [`[${name}=${key}]`, olds.get(key), nows.get(key)]);
  }
  const length = Math.max(before.length, after.length);
  return Array.from({ length }, (_, index) => [`[${index}]`, before[index], after[index]]);
}

/** The items by the field that identifies them; `undefined` where it does not. */
function named(items: readonly unknown[], field: string): Map<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const item of items) {
    const name = isJsonObject(item) ? item[field] : undefined;
    if (typeof name !== "string" || found.has(name)) return undefined;
    found.set(name, item);
  }
  return found;
}

const textOf = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));

function shortened(value: unknown): Json {
  if (typeof value === "string") {
    return value.length <= MOST_CHARACTERS ? value : `${value.slice(0, MOST_CHARACTERS)}…`;
  }
  const text = textOf(value);
  return text.length <= MOST_CHARACTERS
    ? (JSON.parse(text === "" ? "null" : text) as Json)
    : `${text.slice(0, MOST_CHARACTERS)}…`;
}
