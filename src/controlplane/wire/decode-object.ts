/**
 * Decodes the bodies of creates and updates into objects of the kind that the request is for, or
 * refuses them in the API server's words.
 */
import { asObject, isJsonObject } from "../../kube/json.ts";
import type { SentObject } from "../../kube/object.ts";
import { apiVersionOf, parseApiVersion } from "../../kube/resource.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { findDefinitionName } from "../builtin/definitions.ts";
import { withoutEmptied } from "../builtin/go/emptied.ts";
import { normaliseShape } from "../builtin/go/shape.ts";
import type { Body, TypeMeta } from "./bodies/body.ts";
import { type BodyForm, openBody, unsupportedBody } from "./bodies/open.ts";
import { strictMistake, unknownFields, warningsOf } from "./bodies/problems.ts";
import {
  type ExpectedKind,
  checkBuiltInType,
  checkVersionText,
  readBuiltInKind,
  readCustom,
} from "./decode-kind.ts";
import { WireError, orRefuse } from "./json/wire-error.ts";
import { nodeOf, strictProblems } from "./strict-fields.ts";

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
 *   duplicate or unknown fields; 415 for a media type that the kind does not have
 */
export function decodeObject(
  bytes: Uint8Array,
  form: BodyForm,
  expected: ExpectedKind,
  validation: FieldValidation,
): DecodedObject {
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
  return readObject(body, expected, validation);
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

function readObject(
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
    const value = body.valueAs(type);
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

/** @throws StatusError 400 for an apiVersion that is null: a missing one is refused later */
function checkVersionIsThere(value: unknown, expected: ExpectedKind): void {
  if (!isJsonObject(value) || value["apiVersion"] !== null) return;
  const given = { apiVersion: "", kind: String(value["kind"]) };
  const message = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
  throw unhandled(given, expected, message);
}
