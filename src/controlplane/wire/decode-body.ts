/**
 * Decodes the bodies of creates and updates into objects of the kind that the request is for, or
 * refuses them in the API server's words.
 *
 * In built-in kinds null counts as absent; unknown fields are dropped. Defaults are not set.
 */
import { asObject, isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { goKindOf } from "../../kube/patch.ts";
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { type GroupVersionKind, findDefinitionName } from "../builtin/definitions.ts";
import { withoutEmptied } from "../builtin/go/emptied.ts";
import { normaliseShape } from "../builtin/go/shape.ts";
import { readBuiltIn } from "./built-in-reader.ts";
import { type Content, readContent, strictMistake, unknownFields, warningsOf } from "./content.ts";
import { scanEntries } from "./json/json-scanner.ts";
import { type BodyForm, bodyForm, unsupportedBody } from "./media-type.ts";
import { NumberLiteral, isMap, plainNumbers } from "./json/number-literal.ts";
import { readContentAs, readEnvelope } from "./protobuf.ts";
import { nodeOf, strictProblems } from "./strict-fields.ts";
import { LEGACY_SCHEME, WireError, orRefuse, unregistered } from "./json/wire-error.ts";

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

/** The handling of duplicate and unknown fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** An object decoded from a body. */
export interface DecodedObject {
  readonly object: SentObject;
  /** The texts of the `Warning` headers, with `Warn`. */
  readonly warnings: readonly string[];
  /** The reason to refuse the object after all; the warnings are sent with the refusal. */
  readonly refusal?: StatusError;
}

const METADATA = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const SHOWN_BYTES = 30;

const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** The body as messages show it: its first 30 bytes, as text if it looks like JSON. */
function summarise(bytes: Uint8Array): string {
  const data = Buffer.from(bytes);
  if (data.length === 0) return "<empty>";
  const shown = data.subarray(0, SHOWN_BYTES).toString(data[0] === 0x7b ? "utf8" : "hex");
  return data.length > SHOWN_BYTES ? `${shown} ...` : shown;
}

/**
 * Reads the body of a create or update.
 *
 * @throws StatusError 400 for one that is not of the expected kind, or with `Strict` has
 *   duplicate or unknown fields; 415 for another media type
 */
export function decodeBody(
  bytes: Uint8Array,
  contentType: string,
  expected: ExpectedKind,
  validation: FieldValidation,
): DecodedObject {
  const form = bodyForm(contentType);
  if (form === "protobuf" && !expected.builtIn) throw unsupportedBody();
  const unrecognized = (message: string): StatusError =>
    strangerRefusal(expected) ??
    badRequest(
      `the object provided is unrecognized (must be of type ${expected.kind}): ${message} (${summarise(bytes)})`,
    );
  const body = orRefuse(() => {
    const opened = openBody(bytes, form, expected.builtIn);
    if (expected.builtIn) checkVersionText(opened.type.apiVersion);
    else checkCustomType(opened.type, bytes, expected, validation);
    return opened;
  }, unrecognized);
  return decodeObject(body, expected, validation);
}

/**
 * Reads JSON or YAML that has to be an object with a type.
 *
 * @param merges - duplicate fields are merged into the earlier ones
 * @throws WireError
 */
export function readText(
  bytes: Uint8Array,
  form: Exclude<BodyForm, "protobuf">,
  merges = false,
): Content {
  const prefix = form === "json" ? "couldn't get version/kind; json parse error: " : "";
  return orRefuse(
    () => readContent(bytes, form, merges),
    (message) => new WireError(prefix + message),
  );
}

/** The apiVersion and kind of an object; empty when absent. */
export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Go's name of the struct into which it decodes the type. */
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The type that a body gives; empty when absent. @throws WireError */
export function readType(value: unknown): TypeMeta {
  const refuse = (what: unknown, target: string): never => {
    const found = what instanceof NumberLiteral ? "number" : goKindOf(what);
    throw new WireError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into ${target}`,
    );
  };
  if (value === null) return { apiVersion: "", kind: "" };
  if (!isMap(value)) {
    return refuse(value, `Go value of type ${TYPE_STRUCT}`);
  }
  // Go matches these two names case-insensitively.
  const read = (name: "apiVersion" | "kind"): string => {
    const fold = name.toLowerCase();
    const last = Object.keys(value).findLast((key) => key.toLowerCase() === fold);
    const text = (last === undefined ? undefined : value[last]) ?? "";
    return typeof text === "string"
      ? text
      : refuse(text, `Go struct field .${name} of type string`);
  };
  return { apiVersion: read("apiVersion"), kind: read("kind") };
}

function checkCustomType(
  { apiVersion, kind }: TypeMeta,
  bytes: Uint8Array,
  expected: ExpectedKind,
  validation: FieldValidation,
): void {
  if (kind === "") {
    const missing = `Object 'Kind' is missing in '${Buffer.from(bytes).toString("utf8")}'`;
    // With `Ignore`, the kind has been filled in by then.
    if (validation !== "Ignore") throw new WireError(missing);
    throw unhandled({ apiVersion: apiVersionOf(expected), kind: expected.kind }, expected, missing);
  }
  checkVersionText(apiVersion);
}

/** @throws WireError for a malformed apiVersion */
export function checkVersionText(apiVersion: string): void {
  if (apiVersion.split("/").length > 2) {
    throw new WireError(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

/** A body whose type is known. */
interface Body {
  readonly type: TypeMeta;
  readonly problems: readonly string[];
  /** The content. @throws WireError */
  value(type: TypeMeta): unknown;
  /** The content for strict decoding, and the problems of its notation alone. */
  strictly(): { readonly tree: unknown; readonly problems: readonly string[] };
  /** Whether empty values of Go structs are included. */
  readonly withEmpty: boolean;
}

function openBody(bytes: Uint8Array, form: BodyForm, merges: boolean): Body {
  if (form === "protobuf") {
    const { content, ...type } = readEnvelope(bytes);
    const value = (as: TypeMeta): unknown => readContentAs(content, as.apiVersion, as.kind);
    const strictly = (): ReturnType<Body["strictly"]> => ({ tree: value(type), problems: [] });
    return { type, problems: [], value, strictly, withEmpty: true };
  }
  const { value, problems } = readText(bytes, form, merges);
  // YAML becomes JSON first, whose names are sorted and unique.
  const strictly = (): ReturnType<Body["strictly"]> =>
    form === "json" ? { tree: scanEntries(bytes), problems: [] } : { tree: value, problems };
  return { type: readType(value), problems, value: () => value, strictly, withEmpty: false };
}

function strangerRefusal({ stranger, version, kind }: ExpectedKind): StatusError | undefined {
  if (!stranger) return undefined;
  return badRequest(
    `no kind is registered for the type ${version}.${kind} in scheme "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55"`,
  );
}

function unhandled(given: TypeMeta, expected: ExpectedKind, message: string): StatusError {
  const { version } = parseApiVersion(given.apiVersion);
  return (
    strangerRefusal(expected) ??
    badRequest(
      `${given.kind} in version ${JSON.stringify(version)} cannot be handled as a ${expected.kind}: ${message}`,
    )
  );
}

function decodeObject(
  body: Body,
  expected: ExpectedKind,
  validation: FieldValidation,
): DecodedObject {
  const given = body.type;
  const wanted = apiVersionOf(expected);
  const type = expected.builtIn
    ? { apiVersion: given.apiVersion || wanted, kind: given.kind || expected.kind }
    : given;
  const refuse = (message: string): StatusError =>
    unhandled({ ...type, apiVersion: given.apiVersion || wanted }, expected, message);
  const read = orRefuse(() => {
    if (expected.builtIn) checkBuiltInType(type, expected);
    const value = body.value(type);
    if (!expected.builtIn) checkVersionIsThere(value, expected);
    return expected.builtIn ? readBuiltInKind(value, expected) : readCustom(value);
  }, refuse);
  let object = asObject(Object.assign(read.object, type));
  if (body.withEmpty) {
    normaliseShape(object);
    object = withoutEmptied(object);
  }
  // A body of another kind has no schema here; it is refused later, as one of another version is.
  const dropped = type.kind === expected.kind ? (expected.dropUnknown?.(object) ?? []) : [];
  const found = [...body.problems, ...unknownFields(read.unknown, dropped)];
  const isTold = found.length > 0 && validation !== "Ignore";
  const problems = isTold && expected.builtIn ? structProblems(body, expected) : found;
  if (validation === "Strict" && problems.length > 0) throw refuse(strictMistake(problems));
  const warnings = validation === "Warn" ? warningsOf(problems) : [];
  const alsoIn = apiVersionOf({ group: expected.group, version: expected.alsoIn ?? "" });
  if (expected.alsoIn !== undefined && type.apiVersion === alsoIn) object.apiVersion = wanted;
  if (object.apiVersion === wanted) return { object, warnings };
  const refusal = badRequest(
    `the API version in the data (${type.apiVersion}) does not match the expected API version (${wanted})`,
  );
  return { object, warnings, refusal };
}

/** The problems that strict decoding reports for the body of a built-in kind, in its order. */
function structProblems(body: Body, expected: ExpectedKind): readonly string[] {
  const { tree, problems } = body.strictly();
  return [...problems, ...strictProblems(tree, nodeOf(findDefinitionName(expected) ?? ""))];
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

/** @throws StatusError 400 for an apiVersion that is null: a missing one is refused later */
function checkVersionIsThere(value: unknown, expected: ExpectedKind): void {
  if (!isJsonObject(value) || value["apiVersion"] !== null) return;
  const given = { apiVersion: "", kind: String(value["kind"]) };
  const message = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
  throw unhandled(given, expected, message);
}

/** An object decoded as its kind. */
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
