/**
 * Decodes the bodies of patches, apply configurations and options, and checks the objects that
 * result from them.
 */
import { asObject, copyJson, encodeJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { goKindOf } from "../../kube/patch.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { quote } from "../../kube/field-errors.ts";
import { sortedKeys } from "../../kube/schema/sorted-keys.ts";
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { printValue } from "../builtin/go/print.ts";
import {
  type Definition,
  type GroupVersionKind,
  findDefinitionName,
} from "../builtin/definitions.ts";
import { inGoOrder } from "../builtin/go/order.ts";
import { convertBuiltIn, readBuiltIn } from "./built-in-reader.ts";
import { type TextBody, type TypeMeta, readType } from "./bodies/body.ts";
import { openJson } from "./bodies/json.ts";
import { type BodyForm, openBody } from "./bodies/open.ts";
import { strictMistake, unknownFields, warningsOf } from "./bodies/problems.ts";
import { openYaml } from "./bodies/yaml.ts";
import {
  type ExpectedKind,
  type ReadKind,
  checkBuiltInType,
  checkVersionText,
  readBuiltInKind,
  readCustom,
} from "./decode-kind.ts";
import type { DecodedObject, FieldValidation } from "./decode-object.ts";
import { scanEntries } from "./json/json-scanner.ts";
import { asFloats, plainNumbers } from "./json/number-literal.ts";
import { patchedText } from "./patch-text.ts";
import { nodeOf, strictProblems } from "./strict-fields.ts";
import { WireError, orRefuse, unregistered } from "./json/wire-error.ts";

/** The types of patches that are written in JSON. */
export type PatchForm = "json" | "merge" | "strategic";

export interface DecodedPatch {
  readonly form: PatchForm;
  readonly patch: unknown;
  /** Duplicate fields, and unknown ones of JSON patch operations. */
  readonly problems: readonly string[];
}

const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** Runs `read`; the message of a WireError becomes that of a 400. */
const orBadRequest = <T>(prefix: string, read: () => T): T =>
  orRefuse(read, (message) => badRequest(prefix + message));

/** Reads a patch, which has to be JSON whether its object exists or not. @throws StatusError 400 */
export const openPatch = (bytes: Uint8Array): TextBody =>
  orRefuse(
    () => openJson(bytes),
    () => badRequest("invalid JSON patch"),
  );

/** Makes the patch of its body, which stays as it is. @throws StatusError 400 */
export function decodePatch(body: TextBody, form: PatchForm): DecodedPatch {
  const { value, problems } = body;
  const prefix = form === "strategic" ? "" : "error decoding patch: ";
  const patch = copyJson(orBadRequest(prefix, () => plainNumbers(value)));
  if (form !== "json") return { form, patch, problems };
  const isStrange = problems.length > 0 || !hasOperationsOnly(patch);
  const strict = isStrange ? strictProblems(body.strictly().tree, OPERATIONS) : [];
  return { form, patch, problems: strict.map((problem) => `json patch ${problem}`) };
}

const OPERATION_FIELDS: Readonly<Record<string, Definition>> = {
  op: { type: "string" },
  path: { type: "string" },
  from: { type: "string" },
  value: {},
};
const OPERATIONS: Definition = { type: "array", items: { properties: OPERATION_FIELDS } };

const hasOperationsOnly = (patch: unknown): boolean =>
  !Array.isArray(patch) ||
  patch.every(
    (operation: unknown) =>
      !isJsonObject(operation) ||
      Object.keys(operation).every((name) => Object.hasOwn(OPERATION_FIELDS, name)),
  );

/** A configuration for server-side apply. */
export interface DecodedConfiguration {
  readonly config: JsonObject;
  readonly warnings: readonly string[];
  /** The error for `Strict`, to be thrown unless the apply itself fails. */
  readonly refusal?: StatusError;
}

/**
 * Reads the body of an apply, which is YAML; JSON is YAML too.
 *
 * @throws StatusError 400 for a body that is not YAML or not an object
 */
export function decodeConfiguration(
  bytes: Uint8Array,
  validation: FieldValidation,
): DecodedConfiguration {
  const { value, problems } = orBadRequest("error encoding patch: ", () => openYaml(bytes));
  const config =
    orBadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: ", () =>
      asFloats(value),
    ) ?? {};
  if (!isJsonObject(config)) {
    throw badRequest(
      `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKindOf(config)} into Go value of type map[string]interface {}`,
    );
  }
  if (validation === "Warn") return { config, warnings: warningsOf(problems) };
  if (validation === "Ignore" || problems.length === 0) return { config, warnings: [] };
  const refusal = badRequest(
    `error strict decoding patch: error converting YAML to JSON: ${problems.join(", ")}`,
  );
  return { config, warnings: [], refusal };
}

/** The 422 for a patch whose result is invalid; `shown` is the value in the message. */
function patchRefusal(shown: string, message: string): StatusError {
  const text = `Invalid value: ${quote(shown)}: ${message}`;
  return failure(422, "Invalid", ` "" is invalid: patch: ${text}`, {
    causes: [{ reason: "FieldValueInvalid", message: text, field: "patch" }],
  });
}

/** The 500 for a custom resource whose apiVersion was removed. */
function withoutVersion(): StatusError {
  const message = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
  return failure(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}

/**
 * Reads the result of a patch as an object of its kind.
 *
 * @param live - the object before the patch
 * @throws StatusError 422 when it has wrong types, or with `Strict` unknown or duplicate fields
 */
export function acceptPatched(
  patched: unknown,
  live: SentObject,
  expected: ExpectedKind,
  { form, patch, problems }: DecodedPatch,
  validation: FieldValidation,
): DecodedObject {
  const written = (): JsonObject =>
    expected.builtIn ? inGoOrder(live) : (sortedKeys(live) as JsonObject);
  const refuse = (message: string): StatusError =>
    patchRefusal(
      form === "strategic" ? printValue(patch) : patchedText(written(), form, patch),
      message,
    );
  return orRefuse(() => {
    const { object, unknown, definition } = readPatched(patched, expected, form);
    const dropped = expected.dropUnknown?.(object) ?? [];
    const ofFields =
      unknown.length > 0 && definition !== undefined && form !== "strategic"
        ? strictProblems(
            scanEntries(Buffer.from(patchedText(written(), form, patch))),
            nodeOf(definition),
          )
        : unknownFields(unknown, dropped);
    const all = [...problems, ...ofFields];
    if (validation === "Strict" && all.length > 0) throw refuse(strictMistake(all));
    return { object, warnings: validation === "Warn" ? warningsOf(all) : [] };
  }, refuse);
}

interface PatchedKind {
  readonly object: SentObject;
  readonly unknown: readonly string[];
  /** The definition for strict decoding. */
  readonly definition: string | undefined;
}

function readPatched(patched: unknown, expected: ExpectedKind, form: PatchForm): PatchedKind {
  const given = readType(patched);
  const of = (type: TypeMeta, read: ReadKind, definition?: string): PatchedKind => ({
    object: asObject(Object.assign(read.object, type)),
    unknown: read.unknown,
    definition,
  });
  if (!expected.builtIn) {
    if (given.kind === "") {
      throw new WireError(`Object 'Kind' is missing in '${encodeJson(patched)}'`);
    }
    if (given.apiVersion === "") throw withoutVersion();
    checkVersionText(given.apiVersion);
    return of(given, readCustom(patched));
  }
  const wanted: TypeMeta = { apiVersion: apiVersionOf(expected), kind: expected.kind };
  if (form === "strategic") return of(wanted, readBuiltInKind(patched, expected, convertBuiltIn));
  // Without an apiVersion Go decodes into its internal struct, whose fields all have other names
  // than on the wire.
  if (given.apiVersion === "") {
    const unknown = Object.keys(patched as JsonObject).filter(
      (name) => name !== "apiVersion" && name !== "kind",
    );
    return of(wanted, { object: { metadata: {} }, unknown: unknown.sort() });
  }
  const type = { apiVersion: given.apiVersion, kind: given.kind || wanted.kind };
  const kind = { ...parseApiVersion(type.apiVersion), kind: type.kind };
  const definition = findDefinitionName(kind);
  const read = definition === undefined ? undefined : readBuiltInKind(patched, kind);
  checkBuiltInType(type, expected);
  return of(
    wanted,
    read ?? readBuiltInKind(patched, expected),
    definition ?? findDefinitionName(expected),
  );
}

/**
 * Reads the custom object that an apply made; fields of its metadata that do not decode are dropped
 * one by one.
 */
function readAppliedCustom(applied: SentObject): ReturnType<typeof readCustom> {
  try {
    return readCustom(applied);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    const fields = Object.entries(applied.metadata).filter(([name, field]) =>
      isReadable({ metadata: { [name]: field as unknown } }),
    );
    return readCustom({ ...applied, metadata: Object.fromEntries(fields) });
  }
}

function isReadable(object: JsonObject): boolean {
  try {
    readCustom(object);
    return true;
  } catch (error) {
    if (error instanceof WireError) return false;
    throw error;
  }
}

/**
 * Reads the object that an apply made as its kind.
 *
 * @throws StatusError 500 when it has wrong types
 */
export function acceptApplied(
  applied: SentObject,
  kind: GroupVersionKind,
  builtIn: boolean,
): SentObject {
  const refuse = (message: string): StatusError => {
    const { name = "" } = applied.metadata;
    const shown = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    return failure(
      500,
      "",
      `failed to convert new object (/${name}; ${shown}) to proper version: unable to convert unstructured object to ${shown}: ${message}`,
    );
  };
  const { object } = orRefuse(
    () => (builtIn ? readBuiltInKind(applied, kind, convertBuiltIn) : readAppliedCustom(applied)),
    refuse,
  );
  const { apiVersion } = applied;
  return asObject(Object.assign(object, { apiVersion, kind: applied.kind }));
}

const DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/**
 * Reads `DeleteOptions` in any format.
 *
 * @throws StatusError 400 for anything else
 */
export function decodeDeleteOptions(bytes: Uint8Array, form: BodyForm): JsonObject {
  return orBadRequest("", () => {
    const body = openBody(bytes, form, true);
    const value = body.valueAs({ apiVersion: "v1", kind: "DeleteOptions" });
    if (form === "protobuf") return value as JsonObject;
    const { apiVersion, kind } = body.type;
    if (kind !== "" && kind !== "DeleteOptions") {
      const scheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:33";
      throw new WireError(unregistered(kind, apiVersion, scheme));
    }
    return readBuiltIn(value, DELETE_OPTIONS, []) as JsonObject;
  });
}
