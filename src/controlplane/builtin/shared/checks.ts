/** Validation that many kinds share, in the API server's words. */
import { Check, IMMUTABLE } from "../../../kube/check.ts";
import type { FieldError } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../kube/names.ts";
import { validateLabels } from "../../../kube/metadata.ts";
import type { LabelSelector as Selector } from "../../../kube/selectors/selector.ts";
import { selectorErrors } from "../../../kube/selectors/selector-rules.ts";
import type { WriteContext } from "../../kinds.ts";
import { internalForm, sameForm } from "../go/internal.ts";
import { parseAddress } from "./addresses/addresses.ts";
import type { IntOrString, LabelSelector } from "./shapes.ts";

const PATH_PATTERN = "regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+'";
/** The message about a negative number. */
export const NOT_NEGATIVE = "must be greater than or equal to 0";

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export const checked =
  <T extends SentObject>(check: (object: Check<T>, context: WriteContext) => void) =>
  (object: T, context: WriteContext): FieldError[] =>
    Check.errorsOf(object, (value) => check(value, context));

export const checkedChange =
  <T extends SentObject>(check: (object: Check<T>, old: T, context: WriteContext) => void) =>
  (object: T, old: T, context: WriteContext): FieldError[] =>
    Check.errorsOf(object, (value) => check(value, old, context));

/** Validates that a number is not negative; absent ones are valid. */
export function checkNotNegative(number: Check<number | undefined>): void {
  if ((number.value ?? 0) < 0) number.invalid(NOT_NEGATIVE);
}

/** Adds a warning, which begins with the field that it is about, if there is one. */
export type Warn = (about: Check<unknown> | undefined, text: string) => void;

/** The warnings that `look` adds about an object, or about the value at `field`. */
export function warningsOf<T>(
  value: T,
  look: (value: Check<T>, warn: Warn) => void,
  field = "",
): string[] {
  const warnings: string[] = [];
  const warn: Warn = (about, text) => warnings.push(about ? `${about.field}: ${text}` : text);
  Check.errorsOf(value, (check) => look(check, warn), field);
  return warnings;
}

/**
 * Validates that a field is unchanged; the message shows the API server's internal form.
 *
 * @param type - the type of the internal form
 */
export function checkUnchangedForm<T>(field: Check<T>, type: string, old: T): void {
  if (!sameForm(type, field.value, old)) {
    field.invalid(IMMUTABLE, internalForm(type, field.value));
  }
}

/**
 * Validates a domain-prefixed path, which names the component responsible for something: a domain,
 * a slash and a path.
 */
export function checkDomainPrefixedPath(path: Check<string | undefined>): void {
  if (!path.given()) return;
  const [domain = "", ...rest] = (path.value ?? "").split("/");
  const tail = rest.join("/");
  if (domain === "" || tail === "") {
    path.invalid('must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  path.as(domain).named(dns1123SubdomainErrors);
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(tail)) {
    path.invalid(`Invalid path (${PATH_PATTERN})`, tail);
  }
}

/** Validates a required name that must be a valid path segment. */
export function checkSegment(name: Check<string | undefined>): void {
  if (name.given()) name.named(pathSegmentErrors);
}

/** Validates a DNS name, which must not be an IP address. */
export function checkHostname(name: Check<string | undefined>): void {
  name.named(dns1123SubdomainErrors);
  checkNoAddress(name);
}

/** Validates that a name is not an IP address. */
export function checkNoAddress(name: Check<string | undefined>): void {
  if (parseAddress(name.value ?? "")) name.invalid("must be a DNS name, not an IP address");
}

/** Validates a label selector; an absent one is valid. */
export function checkSelector(selector: Check<Selector | undefined>): void {
  selector.add(selectorErrors(selector.field, selector.value));
}

/** Validates the keys and values of labels. */
export function checkLabels(labels: Check<Record<string, string> | undefined>): void {
  labels.by(validateLabels);
}

/** Validates the number of a port: 1 to 65535. */
export function checkPortNumber(port: Check<number | undefined>): void {
  const { value = 0 } = port;
  if (value < 1 || value > 65_535) port.invalid("must be between 1 and 65535, inclusive", value);
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
export function checkPortReference(port: Check<IntOrString | undefined>): void {
  const { value } = port;
  if (typeof value === "string") port.named(portNameErrors);
  else checkPortNumber(port.as(value));
}

/** Validates a count or a percentage that is not negative. */
export function checkCountOrPercent(count: Check<IntOrString | undefined>): void {
  const { value } = count;
  if (typeof value !== "string") checkNotNegative(count.as(value));
  else if (!/^[0-9]+%$/.test(value)) count.invalid(PERCENT);
}

/** Validates that a percentage is at most 100. */
export function checkAtMostHundred(percent: Check<IntOrString | undefined>): void {
  const { value } = percent;
  if (typeof value !== "string" || !/^[0-9]+%$/.test(value)) return;
  if (Number.parseInt(value, 10) > 100) percent.invalid("must not be greater than 100%");
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
export function checkLocalPath(path: Check<string>): void {
  if (path.value.startsWith("/")) path.invalid("must be a relative path");
  else checkNoBackstep(path);
}

/** Validates that a path has no `..` steps. */
export function checkNoBackstep(path: Check<string>): void {
  if (path.value.split("/").includes("..")) path.invalid("must not contain '..'");
}

/** Validates the name of a CSI driver: at most 63 characters, a DNS name in upper or lower case. */
export function checkCsiDriverName(name: Check<string | undefined>): void {
  if (!name.given()) return;
  const { value = "" } = name;
  if (value.length > 63) name.tooLong(63);
  for (const detail of dns1123SubdomainErrors(value.toLowerCase())) name.invalid(detail);
}
