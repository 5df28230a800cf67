/** Validation that many kinds share, in the API server's words. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
  tooLong,
} from "../../../kube/field-errors.ts";
import { sameJson } from "../../../kube/json.ts";
import { dns1123SubdomainErrors } from "../../../kube/names.ts";
import { internalForm, sameForm } from "../strategies/go-internal.ts";
import type { IntOrString, LabelSelector } from "./shapes.ts";

/** The message about a changed field that is immutable. */
export const IMMUTABLE = "field is immutable";

const PATH_PATTERN = "regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+'";
const NOT_NEGATIVE = "must be greater than or equal to 0";

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Validates that a number is not negative; absent ones are valid. */
export function notNegative(field: string, value: number | undefined): FieldError[] {
  return value !== undefined && value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
}

/** Validates that a field is unchanged. */
export function immutable(field: string, value: unknown, old: unknown): FieldError[] {
  return sameJson(value ?? null, old ?? null)
    ? []
    : [invalidValue(field, value ?? null, IMMUTABLE)];
}

/**
 * Validates that a field is unchanged; the message shows the API server's internal form.
 *
 * @param type - the type of the internal form
 */
export function immutableForm(
  field: string,
  type: string,
  value: unknown,
  old: unknown,
): FieldError[] {
  return sameForm(type, value, old)
    ? []
    : [invalidValue(field, internalForm(type, value), IMMUTABLE)];
}

/** Validates that a value is one of the supported ones. */
export function oneOf(field: string, value: string, words: readonly string[]): FieldError[] {
  return words.includes(value) ? [] : [notSupported(field, value, words)];
}

/**
 * Validates a domain-prefixed path, which names the component responsible for something: a domain,
 * a slash and a path.
 */
export function domainPrefixedPathErrors(field: string, path: string): FieldError[] {
  if (path === "") return [required(field)];
  const [domain = "", ...rest] = path.split("/");
  const tail = rest.join("/");
  if (domain === "" || tail === "") {
    return [invalidValue(field, path, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = nameErrorsAt(field, domain, dns1123SubdomainErrors);
  return /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(tail)
    ? errors
    : [...errors, invalidValue(field, tail, `Invalid path (${PATH_PATTERN})`)];
}

/** Validates the number of a port: 1 to 65535. */
export function portNumber(field: string, value: number | undefined): FieldError[] {
  const port = value ?? 0;
  return port >= 1 && port <= 65_535
    ? []
    : [invalidValue(field, port, "must be between 1 and 65535, inclusive")];
}

/**
 * Validates the name of a port: at most 15 letters, digits and dashes, with a letter among them.
 */
export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) errors.push("must contain at least one letter (a-z)");
  if (name.includes("--")) errors.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) {
    errors.push("must not begin or end with a hyphen");
  }
  return errors;
}

/** Validates a port given by number or by name. */
export function portReference(field: string, value: IntOrString | undefined): FieldError[] {
  if (typeof value !== "string") return portNumber(field, value);
  return nameErrorsAt(field, value, portNameErrors);
}

/** Validates a count or a percentage that is not negative. */
export function countOrPercent(field: string, value: IntOrString | undefined): FieldError[] {
  if (value === undefined) return [];
  if (typeof value === "number") return notNegative(field, value);
  return /^[0-9]+%$/.test(value) ? [] : [invalidValue(field, value, PERCENT)];
}

/** Validates that a percentage is at most 100. */
export function notOverHundred(field: string, value: IntOrString | undefined): FieldError[] {
  if (typeof value !== "string" || !/^[0-9]+%$/.test(value)) return [];
  return Number.parseInt(value, 10) > 100
    ? [invalidValue(field, value, "must not be greater than 100%")]
    : [];
}

/** Whether a selector is empty or absent. */
export function selectsNothing(selector: LabelSelector | undefined): boolean {
  return (
    Object.keys(selector?.matchLabels ?? {}).length === 0 &&
    (selector?.matchExpressions ?? []).length === 0
  );
}

/** Validates a key of a ConfigMap or Secret. */
export function configKeyErrors(key: string): string[] {
  const errors: string[] = [];
  if (key.length > 253) errors.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === ".") errors.push("must not be '.'");
  if (key === "..") errors.push("must not be '..'");
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

/** Validates a path inside of a volume: it is relative, and does not leave the volume. */
export function localPathErrors(field: string, path: string): FieldError[] {
  if (path.startsWith("/")) return [invalidValue(field, path, "must be a relative path")];
  return backstepErrors(field, path);
}

/** Validates that a path has no `..` steps. */
export function backstepErrors(field: string, path: string): FieldError[] {
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** Validates the name of a CSI driver: at most 63 characters, a DNS name in upper or lower case. */
export function csiDriverNameErrors(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const errors = name.length > 63 ? [tooLong(field, 63)] : [];
  return [
    ...errors,
    ...dns1123SubdomainErrors(name.toLowerCase()).map((detail) =>
      invalidValue(field, name, detail),
    ),
  ];
}
