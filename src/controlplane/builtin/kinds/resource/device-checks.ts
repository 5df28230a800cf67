/**
 * Checks that the kinds of resource.k8s.io share: names of devices and pools, selectors,
 * configurations, taints.
 */
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../../kube/field-errors.ts";
import { isJsonObject } from "../../../../kube/json.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { CompileFailure, compileExpression } from "../../../../kube/cel/compile.ts";
import { admissionEnvironment } from "../../../../kube/cel/libraries.ts";
import { DYN, formatType } from "../../../../kube/cel/types.ts";
import { csiDriverNameErrors, oneOf } from "../../shared/checks.ts";

/** An expression that selects devices. */
export interface DeviceSelector {
  readonly cel?: { readonly expression?: string };
}

/** A configuration for a driver. */
export interface DeviceConfiguration {
  readonly opaque?: { readonly driver?: string; readonly parameters?: unknown };
}

/** A taint on a device, which keeps claims without a toleration from using it. */
export interface DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** A toleration of device taints. */
export interface DeviceToleration extends DeviceTaint {
  readonly operator?: string;
}

/** The conditions that a device must meet before it can be used. */
export interface BindingParameters {
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
}

const MAX_POOL_NAME = 253;
const MAX_ID = 32;
const MAX_EXPRESSION = 10 * 1024;
const MAX_PARAMETERS = 10 * 1024;
const MAX_SELECTORS = 32;
const MAX_CONDITIONS = 4;
const EFFECTS = ["NoExecute", "NoSchedule", "None"];

const IDENTIFIER =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Validates each item of a list, or only the length of a list that is too long. */
export function eachErrors<T>(
  field: string,
  items: readonly T[] | null | undefined,
  max: number,
  check: (item: T, field: string) => FieldError[],
): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(field, list.length, max)];
  return list.flatMap((item, index) => check(item, `${field}[${index}]`));
}

/** Validates each item of a list, and that their keys are unique. */
export function setErrors<T>(
  field: string,
  items: readonly T[] | null | undefined,
  max: number,
  check: (item: T, field: string) => FieldError[],
  keyOf: (item: T) => unknown,
): FieldError[] {
  const list = items ?? [];
  const errors = eachErrors(field, list, max, check);
  if (list.length > max) return errors;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    const text = JSON.stringify(key);
    if (seen.has(text)) errors.push(duplicate(`${field}[${index}]`, key));
    seen.add(text);
  }
  return errors;
}

/** Validates a required DNS label. */
export const labelNameErrors = (field: string, name = ""): FieldError[] =>
  nameErrorsAt(field, name, dns1123LabelErrors);

/** Validates the name of a pool: DNS subdomains separated by slashes. */
export function poolNameErrors(field: string, name = ""): FieldError[] {
  if (name === "") return [required(field)];
  return [
    ...(name.length > MAX_POOL_NAME ? [tooLong(field, MAX_POOL_NAME)] : []),
    ...name.split("/").flatMap((part) => nameErrorsAt(field, part, dns1123SubdomainErrors)),
  ];
}

function identifierErrors(field: string, id: string): FieldError[] {
  return [
    ...(id.length > MAX_ID ? [tooLong(field, MAX_ID)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? [] : [invalidValue(field, id, IDENTIFIER)]),
  ];
}

/** Validates the name of an attribute or a capacity: an identifier, with or without a domain. */
export function deviceNameErrors(field: string, name: string): FieldError[] {
  const [domain = "", id = "", ...rest] = name.split("/");
  if (rest.length > 0) return [];
  if (!name.includes("/")) return identifierErrors(field, name);
  return [
    ...(domain === ""
      ? [invalidValue(field, "", "the domain must not be empty")]
      : csiDriverNameErrors(field, domain)),
    ...(id === ""
      ? [invalidValue(field, "", "the name must not be empty")]
      : identifierErrors(field, id)),
  ];
}

/** Validates the name of an attribute or a capacity that must have a domain. */
export function qualifiedDeviceNameErrors(field: string, name: string): FieldError[] {
  const detail = "a fully qualified name must be a domain and a name separated by a slash";
  const errors = deviceNameErrors(field, name);
  return name.includes("/") ? errors : [...errors, invalidValue(field, name, detail)];
}

/** Validates the expressions that select devices. */
export const selectorsErrors = (
  field: string,
  selectors: readonly DeviceSelector[] | null | undefined,
): FieldError[] =>
  eachErrors(field, selectors, MAX_SELECTORS, ({ cel }, at) =>
    cel ? expressionErrors(`${at}.cel.expression`, cel.expression ?? "") : [required(`${at}.cel`)],
  );

function expressionErrors(field: string, source: string): FieldError[] {
  if (source.length > MAX_EXPRESSION) return [tooLong(field, MAX_EXPRESSION)];
  const environment = admissionEnvironment([]).withVariables({ device: DYN });
  const compiled = compileExpression(source, environment);
  if (compiled instanceof CompileFailure) {
    return [invalidValue(field, source, `compilation failed: ${compiled.message}`)];
  }
  const { type } = compiled;
  if (type.kind === "bool" || type.kind === "dyn") return [];
  const detail = `must evaluate to bool or the unknown type, not ${formatType(type)}`;
  return [invalidValue(field, source, detail)];
}

/** Validates a configuration for a driver. */
export function configurationErrors(at: string, { opaque }: DeviceConfiguration): FieldError[] {
  if (!opaque) return [required(`${at}.opaque`)];
  return [
    ...csiDriverNameErrors(`${at}.opaque.driver`, opaque.driver ?? ""),
    ...rawErrors(`${at}.opaque.parameters`, opaque.parameters, MAX_PARAMETERS),
  ];
}

/** Validates an object of any shape. */
export function rawErrors(field: string, value: unknown, maxBytes: number): FieldError[] {
  if (value === undefined || value === null) return [required(field)];
  if (Buffer.byteLength(JSON.stringify(value)) > maxBytes) return [tooLong(field, maxBytes)];
  return isJsonObject(value)
    ? []
    : [invalidValue(field, "<value omitted>", "must be a valid JSON object")];
}

const valueErrors = (field: string, value: string): FieldError[] =>
  nameErrorsAt(field, value, labelValueErrors);

const effectErrors = (at: string, effect: string): FieldError[] =>
  oneOf(`${at}.effect`, effect, EFFECTS);

/** Validates a taint of a device; an effect that it had before, `known`, may stay. */
export function deviceTaintErrors(at: string, taint: DeviceTaint, known?: string): FieldError[] {
  const { key = "", value = "", effect = "" } = taint;
  const errors = nameErrorsAt(`${at}.key`, key, qualifiedNameErrors);
  if (value !== "") errors.push(...valueErrors(`${at}.value`, value));
  if (effect === known) return errors;
  const wrong = effect === "" ? [required(`${at}.effect`)] : effectErrors(at, effect);
  return [...errors, ...wrong];
}

/** Validates a toleration of device taints. */
export function deviceTolerationErrors(toleration: DeviceToleration, at: string): FieldError[] {
  const { key = "", value = "", effect = "", operator = "" } = toleration;
  const errors = key === "" ? [] : nameErrorsAt(`${at}.key`, key, qualifiedNameErrors);
  if (operator === "") errors.push(required(`${at}.operator`));
  else if (operator === "Equal") errors.push(...valueErrors(`${at}.value`, value));
  else if (operator !== "Exists") {
    errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  } else if (value !== "") {
    errors.push(invalidValue(`${at}.value`, value, "must be empty for operator `Exists`"));
  }
  return effect === "" ? errors : [...errors, ...effectErrors(at, effect)];
}

/** Validates binding conditions and binding failure conditions, which must be given together. */
export function bindingErrors(
  at: string,
  { bindingConditions: wanted = [], bindingFailureConditions: failed = [] }: BindingParameters,
): FieldError[] {
  const lists = { bindingConditions: wanted, bindingFailureConditions: failed };
  const errors = Object.entries(lists).flatMap(([part, names]) =>
    eachErrors(`${at}.${part}`, names, MAX_CONDITIONS, (name, field) =>
      nameErrorsAt(field, name, qualifiedNameErrors),
    ),
  );
  for (const [part, names] of Object.entries(lists)) {
    for (const [index, name] of names.entries()) {
      const field = `${at}.${part}[${index}]`;
      if (names.indexOf(name) < index) errors.push(duplicate(field, name));
      if (part === "bindingFailureConditions" && wanted.includes(name)) {
        const detail = "bindingFailureConditions must not overlap with bindingConditions";
        errors.push(invalidValue(field, name, detail));
      }
    }
  }
  const alone = (part: string, other: string): FieldError =>
    invalidValue(`${at}.${part}`, null, `${part} are required to use ${other}`);
  if (wanted.length === 0 && failed.length > 0) {
    errors.push(alone("bindingConditions", "bindingFailureConditions"));
  }
  if (failed.length === 0 && wanted.length > 0) {
    errors.push(alone("bindingFailureConditions", "bindingConditions"));
  }
  return errors;
}
