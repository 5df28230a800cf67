/**
 * Reads decoded values as objects of a kind.
 *
 * In built-in kinds null counts as absent; unknown fields are dropped. Defaults are not set.
 */
import { isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import { type GroupVersionKind, findDefinitionName } from "../builtin/definitions.ts";
import type { TypeMeta } from "./bodies/body.ts";
import { readBuiltIn } from "./built-in-reader.ts";
import { plainNumbers } from "./json/number-literal.ts";
import { LEGACY_SCHEME, WireError, unregistered } from "./json/wire-error.ts";

/** The kind that a body must be of. */
export interface ExpectedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly builtIn: boolean;
  /** Another version that is accepted; it counts as the expected one. */
  readonly alsoIn?: string;
  /**
   * Set for a kind that is not registered with the server of custom resources where it reads the
   * body: its refusals say only that.
   */
  readonly stranger?: true;
  /** As `ServedResource.dropUnknown`; absent for built-in kinds. */
  readonly dropUnknown?: (object: SentObject) => string[];
}

const METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** @throws WireError for a malformed apiVersion */
export function checkVersionText(apiVersion: string): void {
  if (apiVersion.split("/").length > 2) {
    throw new WireError(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

/**
 * Checks that a built-in kind is the expected one. A kind in another version is refused later, in
 * other words.
 *
 * @throws WireError for a kind that is not the expected one
 */
export function checkBuiltInType({ apiVersion, kind }: TypeMeta, expected: GroupVersionKind): void {
  const { group, version } = parseApiVersion(apiVersion);
  const isList = apiVersion === "v1" && kind === "List";
  const isKnown = isList || findDefinitionName({ group, version, kind }) !== undefined;
  const isOld = kind === expected.kind && /^v\d+(alpha|beta)\d+$/.test(version);
  if (!isKnown && !isOld) {
    throw new WireError(unregistered(kind, apiVersion, LEGACY_SCHEME));
  }
  if (kind === expected.kind) return;
  const internal = expected.group === "" ? "core" : (expected.group.split(".")[0] ?? "");
  throw new WireError(
    `converting (${version}.${kind}) to (${internal}.${expected.kind}): unknown conversion`,
  );
}

export interface ReadKind {
  readonly object: JsonObject;
  /** Paths of unknown fields. */
  readonly unknown: readonly string[];
}

/**
 * Reads a value as an object of a built-in kind.
 *
 * @param read - the reader: of text, or of a value that was decoded before
 * @throws WireError for wrong types
 */
export function readBuiltInKind(
  value: unknown,
  kind: GroupVersionKind,
  read: typeof readBuiltIn = readBuiltIn,
): ReadKind {
  const definition = findDefinitionName(kind);
  if (definition === undefined) throw new WireError(`there is no schema of ${kind.kind}`);
  const unknown: string[] = [];
  const object = read(value, definition, unknown) as JsonObject;
  return { object: { ...object, metadata: object["metadata"] ?? {} }, unknown };
}

/**
 * Reads a value as a custom object: only its metadata has a known shape so far, whose empty fields
 * count as absent.
 *
 * @throws WireError for metadata of wrong types
 */
export function readCustom(value: unknown): ReadKind {
  const object = contentBut(value, "metadata");
  const given = isJsonObject(value) ? (value["metadata"] ?? null) : null;
  // The metadata of a stored object was read before.
  if (isJsonObject(given) && Object.isFrozen(given)) {
    object["metadata"] = { ...given };
    return { object, unknown: [] };
  }
  const unknown: string[] = [];
  const metadata = readBuiltIn(given, METADATA, unknown) as JsonObject;
  for (const [name, field] of Object.entries(metadata)) {
    const isEmpty = Array.isArray(field)
      ? field.length === 0
      : isJsonObject(field) && Object.keys(field).length === 0;
    if (isEmpty) Reflect.deleteProperty(metadata, name);
  }
  object["metadata"] = metadata;
  return { object, unknown: unknown.sort().map((path) => `metadata.${path}`) };
}

/**
 * The other fields of a value, with plain numbers. They are set one by one: objects made by
 * spreading do not share their shape, which costs memory for each.
 */
function contentBut(value: unknown, field: string): JsonObject {
  const content: JsonObject = {};
  if (!isJsonObject(value)) return content;
  for (const name of Object.keys(value)) {
    if (name !== field) setField(content, name, plainNumbers(value[name]));
  }
  return content;
}
