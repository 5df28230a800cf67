/**
 * Checks that the kinds of resource.k8s.io share: names of devices and pools, selectors,
 * configurations, taints.
 */
import type {
  DeviceClassConfiguration,
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
} from "../../../../generated/k8s/resource-v1.ts";
import { CompileFailure, compileExpression } from "../../../../kube/cel/compile.ts";
import { admissionEnvironment } from "../../../../kube/cel/libraries.ts";
import { DYN, formatType } from "../../../../kube/cel/types.ts";
import type { Check } from "../../../../kube/check.ts";
import { isJsonObject } from "../../../../kube/json.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { checkCsiDriverName } from "../../shared/checks.ts";
import type { Loose } from "../../shared/shapes.ts";

type Name = Check<string | undefined>;
type List<T> = Check<readonly T[] | null | undefined>;

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

/** Validates each item of a list, and that their keys are unique. */
export function checkSet<T>(
  list: List<T>,
  max: number,
  check: (item: Check<T>) => void,
  keyOf: (item: T) => unknown = (item) => item,
): void {
  list.eachOf(max, check);
  if (list.count <= max) list.unique(keyOf);
}

/** Validates a name that must be a DNS label. */
export function checkLabelName(name: Name): void {
  name.named(dns1123LabelErrors);
}

/** Validates the name of a pool: DNS subdomains separated by slashes. */
export function checkPoolName(name: Name): void {
  if (!name.given()) return;
  const { value = "" } = name;
  if (value.length > MAX_POOL_NAME) name.tooLong(MAX_POOL_NAME);
  for (const part of value.split("/")) name.as(part).named(dns1123SubdomainErrors);
}

function checkIdentifier(id: Check<string>): void {
  if (id.value.length > MAX_ID) id.tooLong(MAX_ID);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(id.value)) id.invalid(IDENTIFIER);
}

/** Validates the name of an attribute or a capacity: an identifier, with or without a domain. */
export function checkDeviceName(name: Check<string>): void {
  const [first = "", id, ...rest] = name.value.split("/");
  if (rest.length > 0) return;
  if (id === undefined) {
    checkIdentifier(name);
    return;
  }
  if (first === "") name.invalid("the domain must not be empty", "");
  else checkCsiDriverName(name.as(first));
  if (id === "") name.invalid("the name must not be empty", "");
  else checkIdentifier(name.as(id));
}

/** Validates the name of an attribute or a capacity that must have a domain. */
export function checkQualifiedDeviceName(name: Check<string>): void {
  checkDeviceName(name);
  if (!name.value.includes("/")) {
    name.invalid("a fully qualified name must be a domain and a name separated by a slash");
  }
}

export function checkSelectors(selectors: List<Loose<DeviceSelector>>): void {
  selectors.eachOf(MAX_SELECTORS, (selector) => {
    if (selector.at("cel").given()) checkExpression(selector.at("cel", "expression"));
  });
}

function checkExpression(expression: Name): void {
  const { value: source = "" } = expression;
  if (source.length > MAX_EXPRESSION) {
    expression.tooLong(MAX_EXPRESSION);
    return;
  }
  const environment = admissionEnvironment([]).withVariables({ device: DYN });
  const compiled = compileExpression(source, environment);
  if (compiled instanceof CompileFailure) {
    expression.invalid(`compilation failed: ${compiled.message}`, source);
  } else if (compiled.type.kind !== "bool" && compiled.type.kind !== "dyn") {
    const type = formatType(compiled.type);
    expression.invalid(`must evaluate to bool or the unknown type, not ${type}`);
  }
}

export function checkConfiguration(configuration: Check<Loose<DeviceClassConfiguration>>): void {
  const opaque = configuration.at("opaque");
  if (!opaque.given()) return;
  checkCsiDriverName(opaque.at("driver"));
  checkRaw(opaque.at("parameters"), MAX_PARAMETERS);
}

/** Validates an object of any shape. */
export function checkRaw(raw: Check<unknown>, maxBytes: number): void {
  if (raw.value === undefined || raw.value === null) raw.required();
  else if (Buffer.byteLength(JSON.stringify(raw.value)) > maxBytes) raw.tooLong(maxBytes);
  else if (!isJsonObject(raw.value)) raw.invalid("must be a valid JSON object", "<value omitted>");
}

/** Validates a taint of a device; an effect that it had before, `known`, may stay. */
export function checkDeviceTaint(
  taint: Check<Loose<DeviceTaint> | undefined>,
  known?: string,
): void {
  const effect = taint.at("effect");
  taint.at("key").named(qualifiedNameErrors);
  taint.at("value").nameIfGiven(labelValueErrors);
  if ((effect.value ?? "") !== known && effect.given()) effect.oneOf(EFFECTS);
}

/** Validates a toleration of device taints. */
export function checkDeviceToleration(toleration: Check<Loose<DeviceToleration>>): void {
  const operator = toleration.at("operator");
  const value = toleration.at("value");
  const effect = toleration.at("effect");
  toleration.at("key").nameIfGiven(qualifiedNameErrors);
  if (operator.value === "Equal") value.named(labelValueErrors);
  else if (operator.value === "Exists") {
    if (value.value) value.invalid("must be empty for operator `Exists`");
  } else if (operator.given()) operator.notSupported(["Equal", "Exists"]);
  if (effect.value) effect.oneOf(EFFECTS);
}

/** Validates binding conditions and binding failure conditions, which must be given together. */
export function checkBinding(device: Check<BindingParameters>): void {
  const conditions = device.at("bindingConditions");
  const failures = device.at("bindingFailureConditions");
  for (const names of [conditions, failures]) {
    names.eachOf(MAX_CONDITIONS, (name) => {
      name.named(qualifiedNameErrors);
    });
  }
  conditions.unique();
  const seen = new Set<string>();
  failures.each((name) => {
    name.uniqueIn(seen);
    if (conditions.value?.includes(name.value)) {
      name.invalid("bindingFailureConditions must not overlap with bindingConditions");
    }
  });
  if (conditions.count === 0 && failures.count > 0) {
    conditions.invalid("bindingConditions are required to use bindingFailureConditions", null);
  }
  if (failures.count === 0 && conditions.count > 0) {
    failures.invalid("bindingFailureConditions are required to use bindingConditions", null);
  }
}
