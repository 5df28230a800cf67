/** The names of written fields, without their values, and the field managers that have them. */
import { isJsonObject, sameJson } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";

/** A field manager that wrote an object after this process did. */
export interface ForeignWriter {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly time: string;
  /** Its fields among those that were asked about. */
  readonly fields: readonly string[];
}

const MOST_FIELDS = 5;
const MOST_CHARACTERS = 100;
const MOST_VISITS = 10_000;
/** They name the object, and are in every body. */
const IDENTITY: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  ...["name", "namespace", "uid", "resourceVersion"].map((field) => `metadata.${field}`),
]);

/**
 * The first few fields of a body: `spec.containers[].image`; those that differ from `other`, if that
 * is given. A JSON patch has the paths of its operations.
 *
 * @param inBoth - leaves out fields that only one of the two bodies has
 */
export function fieldsOf(
  body: unknown,
  other?: unknown,
  { inBoth = false } = {},
): readonly string[] {
  const fields = new Set<string>();
  let visits = 0;
  const visit = (one: unknown, two: unknown, path: string): void => {
    if (fields.size >= MOST_FIELDS || ++visits > MOST_VISITS) return;
    if (other !== undefined && sameJson(one, two)) return;
    if (inBoth && (one === undefined || two === undefined)) return;
    const isList = Array.isArray(one);
    if (!isList && !isJsonObject(one)) {
      if (path !== "" && !IDENTITY.has(path)) fields.add(path.slice(0, MOST_CHARACTERS));
      return;
    }
    const names = new Set([...Object.keys(one), ...(isContainer(two) ? Object.keys(two) : [])]);
    if (names.size === 0 && path !== "") fields.add(path.slice(0, MOST_CHARACTERS));
    for (const name of names) {
      const inner = isList ? `${path}[]` : path === "" ? name : `${path}.${name}`;
      visit(memberOf(one, name), memberOf(two, name), inner);
    }
  };
  if (Array.isArray(body)) {
    const paths = body.map((step: unknown) => (isJsonObject(step) ? step["path"] : undefined));
    return [...new Set(paths.filter((path) => typeof path === "string"))]
      .slice(0, MOST_FIELDS)
      .map((path) => path.slice(0, MOST_CHARACTERS));
  }
  visit(body, other, "");
  return [...fields];
}

/** The time of the last write of a field manager, by the clock of the server. */
export function timeOfWrite(managedFields: unknown, manager: string): string | undefined {
  return entriesOf(managedFields)
    .filter((entry) => entry["manager"] === manager)
    .map(timeOf)
    .sort()
    .at(-1);
}

/** The other field managers that wrote at that time or later; the last one first. */
export function foreignWriters(
  managedFields: unknown,
  own: string,
  fields: readonly string[],
  since: string,
): ForeignWriter[] {
  return entriesOf(managedFields)
    .filter((entry) => entry["manager"] !== own && timeOf(entry) >= since)
    .sort((one, two) => (timeOf(one) < timeOf(two) ? 1 : -1))
    .map((entry) => {
      const has = namesOf(entry["fieldsV1"]);
      return {
        manager: textOf(entry["manager"]),
        operation: textOf(entry["operation"]),
        time: timeOf(entry),
        fields: fields.filter((field) => has.has(field)),
      };
    });
}

function entriesOf(managedFields: unknown): JsonObject[] {
  return (Array.isArray(managedFields) ? managedFields : []).filter(isJsonObject);
}

const timeOf = (entry: JsonObject): string => textOf(entry["time"]);

/** The names of a field set, as `fieldsOf` writes them. */
function namesOf(fieldsV1: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  let visits = 0;
  const visit = (set: unknown, path: string): void => {
    if (!isJsonObject(set) || ++visits > MOST_VISITS) return;
    const inner = Object.entries(set).filter(([key]) => key !== ".");
    if (inner.length === 0) names.add(path);
    for (const [key, value] of inner) {
      const name = key.slice(2);
      visit(value, key.startsWith("f:") ? (path === "" ? name : `${path}.${name}`) : `${path}[]`);
    }
  };
  visit(fieldsV1, "");
  return names;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function memberOf(value: unknown, name: string): unknown {
  return isContainer(value) && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
