/**
 * Errors of fields, in the API server's words.
 *
 * Validation collects `FieldError`s; `invalid` makes one `Status` of them. The texts are those of
 * k8s.io/apimachinery's `field` package, because users search for them.
 *
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/util/validation/field
 */
import { formatNumber, isNumeric } from "./text/go-number.ts";
import { encodeJson } from "./json.ts";
import { type StatusError, aggregate, failure } from "./status.ts";
import { tableOf } from "../table.ts";

/** The reasons in `details.causes`. */
type FieldErrorReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError"
  | "FieldValueTypeInvalid";

/** An error of one field. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  /** The path, such as `spec.ports[0].name`; empty for the object itself. */
  readonly field: string;
  /** Without the path: `Invalid value: "x": must be ...`. */
  readonly message: string;
}

const withDetail = (head: string, detail: string): string =>
  detail === "" ? head : `${head}: ${detail}`;

/** The value as Go prints it in these messages: strings quoted, structures as JSON. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "null";
  if (typeof value === "string") return quote(value);
  if (isNumeric(value)) return formatNumber(value);
  // Go escapes JSON for HTML.
  return encodeJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const GO_ESCAPES = tableOf<string>({ "\u0007": "\\a", "\u000b": "\\v" });

/** A string as Go's `%q` prints it. */
export function quote(text: string): string {
  const escaped = JSON.stringify(text).replace(
    /\\u00[01][0-9a-f]/g,
    (escape) =>
      GO_ESCAPES.get(String.fromCharCode(Number.parseInt(escape.slice(2), 16))) ??
      `\\x${escape.slice(4)}`,
  );
  return escaped.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code === "7f" ? "\\x7f" : `\\u${code.padStart(4, "0")}`;
  });
}

/** In the place of a value that a message does not show. */
export const NOT_SHOWN: unique symbol = Symbol("not shown");

/** The value is invalid: `Invalid value: "x": detail`. */
export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: withDetail(
    value === NOT_SHOWN ? "Invalid value" : `Invalid value: ${formatValue(value)}`,
    detail,
  ),
});

/** The value has the wrong type. */
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  message: withDetail(`Invalid value: ${formatValue(value)}`, detail),
});

/** The field is missing. */
export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: withDetail("Required value", detail),
});

/** The value is not one of the supported ones. */
export const notSupported = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: withDetail(
    `Unsupported value: ${formatValue(value)}`,
    supported.length > 0 ? `supported values: ${supported.map(quote).join(", ")}` : "",
  ),
});

/** The value is a duplicate where it must be unique. */
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${formatValue(value)}`,
});

/** The field may not be set, or not be changed, here. */
export const forbidden = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: withDetail("Forbidden", detail),
});

/** A structure is invalid; the message does not show it. */
export const invalidStructure = (field: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: withDetail("Invalid value", detail),
});

/** A structure is a duplicate; the message does not show it. */
export const duplicateStructure = (field: string): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: "Duplicate value",
});

/** The server cannot check the field. */
export const internalError = (field: string, detail: string): FieldError => ({
  reason: "InternalError",
  field,
  message: withDetail("Internal error", detail),
});

/** The value refers to something that does not exist. */
export const notFoundValue = (field: string, value: unknown, detail = ""): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  message: withDetail(`Not found: ${formatValue(value)}`, detail),
});

/** The text has more than `maxBytes` bytes. */
export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${maxBytes} byte${maxBytes === 1 ? "" : "s"}`,
});

/** The list has more than `max` items. */
export const tooMany = (field: string, count: number, max: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${count}: must have at most ${max} item${max === 1 ? "" : "s"}`,
});

/** Errors of a name, as errors of `field`. */
export function nameErrorsAt(
  field: string,
  name: string,
  check: (name: string) => string[],
): FieldError[] {
  return check(name).map((detail) => invalidValue(field, name, detail));
}

/** `path: message`, as in the message of a `Status`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

/**
 * 422 Invalid with one cause for each error.
 *
 * @param kind - the kind, qualified as `Kind.group` in the message
 */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const qualified = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  const summary = aggregate(errors.map(formatFieldError));
  return failure(422, "Invalid", `${qualified} ${quote(name)} is invalid: ${summary}`, {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    ...(kind.kind === "" ? {} : { kind: kind.kind }),
    causes: errors.map(({ reason, message, field }) => ({
      reason,
      message,
      ...(field === "" ? {} : { field }),
    })),
  });
}
