/** Validation of ResourceSlices, and the fields of theirs that belong to disabled features. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  quote,
  required,
  tooLong,
  tooMany,
} from "../../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../../kube/names.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import { csiDriverNameErrors, immutable } from "../../../shared/checks.ts";
import { nodeSelectorErrors } from "../../../shared/pods/scheduling.ts";
import type { NodeSelector } from "../../../shared/pods/shapes.ts";
import { asGiven } from "../../../strategies/emptied.ts";
import { internalForm } from "../../../strategies/go-internal.ts";
import {
  type BindingParameters,
  type DeviceTaint,
  deviceTaintErrors,
  bindingErrors,
  deviceNameErrors,
  eachErrors,
  labelNameErrors,
  poolNameErrors,
  setErrors,
} from "../device-checks.ts";
import { type RequestPolicy, policyErrors } from "./capacity-policies.ts";

const MAX_DEVICES = 128;
const MAX_ADVANCED_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;
const MAX_CONSUMPTIONS = 2;
const MAX_PROPERTIES = 32;
const MAX_VALUES = 48;
const MAX_VALUE_LENGTH = 64;
const MAX_TAINTS = 16;

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

interface Attribute {
  bool?: boolean;
  int?: number;
  string?: string;
  version?: string;
}

interface Placement {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

interface Device extends Placement, BindingParameters {
  name?: string;
  attributes?: Record<string, Attribute>;
  capacity?: Record<string, { value: string; requestPolicy?: RequestPolicy }>;
  taints?: DeviceTaint[];
  consumesCounters?: { counterSet?: string; counters?: Record<string, object> }[];
  allowMultipleAllocations?: boolean;
  nodeAllocatableResourceMappings?: object;
}

interface SliceSpec extends Placement {
  driver?: string;
  pool?: { name?: string; generation?: number; resourceSliceCount?: number };
  perDeviceNodeSelection?: boolean;
  devices?: Device[];
  sharedCounters?: { name?: string; counters?: Record<string, object> }[];
}

interface ResourceSlice extends SentObject {
  spec?: SliceSpec;
}

/**
 * Drops the fields of disabled features: lists as attributes, and the resources that a device takes
 * of its node.
 */
export function dropFromResourceSlice(object: ResourceSlice): void {
  for (const device of object.spec?.devices ?? []) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(device.attributes ?? {})) {
      for (const list of ["bools", "ints", "strings", "versions"]) {
        Reflect.deleteProperty(attribute, list);
      }
    }
  }
}

/** Warns about driver names in upper case. */
export function resourceSliceWarnings(object: ResourceSlice): string[] {
  const { driver = "" } = object.spec ?? {};
  return driver === driver.toLowerCase()
    ? []
    : [
        `spec.driver: driver names should be lowercase; ${quote(driver)} contains uppercase characters`,
      ];
}

/** Validates a new ResourceSlice. */
export const newResourceSliceErrors = (object: ResourceSlice): FieldError[] =>
  sliceErrors(object.spec ?? {});

/** Validates an update of a ResourceSlice. */
export const resourceSliceUpdateErrors = (
  object: ResourceSlice,
  previous: ResourceSlice,
): FieldError[] => sliceErrors(object.spec ?? {}, previous.spec ?? {});

function sliceErrors(spec: SliceSpec, old?: SliceSpec): FieldError[] {
  const { pool = {}, devices = [], sharedCounters } = spec;
  const errors = [
    ...csiDriverNameErrors("spec.driver", spec.driver ?? ""),
    ...poolErrors("spec.pool", pool),
  ];
  if (old) {
    errors.push(
      ...immutable("spec.pool.name", pool.name ?? "", old.pool?.name ?? ""),
      ...immutable("spec.driver", spec.driver ?? "", old.driver ?? ""),
      ...immutable("spec.nodeName", spec.nodeName, old.nodeName),
    );
  }
  errors.push(...sliceNodesErrors(spec));
  const isGiven = (field: string): boolean => asGiven(spec, field) !== null;
  if (isGiven("sharedCounters") && isGiven("devices")) {
    errors.push(invalidValue("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
  }
  const isAdvanced = devices.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  );
  const perDevice = spec.perDeviceNodeSelection === true;
  return [
    ...errors,
    ...setErrors(
      "spec.devices",
      devices,
      isAdvanced ? MAX_ADVANCED_DEVICES : MAX_DEVICES,
      (device, at) => deviceErrors(device, at, perDevice),
      ({ name = "" }) => name,
    ),
    ...setErrors(
      "spec.sharedCounters",
      sharedCounters,
      MAX_COUNTER_SETS,
      ({ name, counters }, at) => countersErrors(at, "name", name, counters),
      ({ name = "" }) => name,
    ),
  ];
}

function poolErrors(at: string, pool: NonNullable<SliceSpec["pool"]>): FieldError[] {
  const { resourceSliceCount: count = 0, generation = 0 } = pool;
  const errors = poolNameErrors(`${at}.name`, pool.name);
  if (count <= 0) {
    errors.push(invalidValue(`${at}.resourceSliceCount`, count, "must be greater than zero"));
  }
  return generation < 0
    ? [
        ...errors,
        invalidValue(`${at}.generation`, generation, "must be greater than or equal to zero"),
      ]
    : errors;
}

/** Validates a flag that is either absent or true. */
function flagErrors(field: string, flag: boolean | undefined): FieldError[] {
  return flag === false ? [invalidValue(field, flag, "must be either unset or set to true")] : [];
}

function nodeSelectionErrors(at: string, { nodeSelector }: Placement): FieldError[] {
  return nodeSelector ? nodeSelectorErrors(`${at}.nodeSelector`, nodeSelector) : [];
}

function sliceNodesErrors(spec: SliceSpec): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection: perDevice } = spec;
  const errors: FieldError[] = [];
  if (nodeName === "") {
    const detail = "must be either unset or set to a non-empty string";
    errors.push(invalidValue("spec.nodeName", nodeName, detail));
  } else if (nodeName !== undefined) {
    errors.push(...nameErrorsAt("spec.nodeName", nodeName, dns1123SubdomainErrors));
  }
  errors.push(...nodeSelectionErrors("spec", spec));
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (nodeSelector && terms.length !== 1) {
    const shown = internalForm("[]core.NodeSelectorTerm", nodeSelector.nodeSelectorTerms);
    const detail = "must have exactly one node selector term";
    errors.push(invalidValue("spec.nodeSelector.nodeSelectorTerms", shown, detail));
  }
  errors.push(
    ...flagErrors("spec.allNodes", allNodes),
    ...flagErrors("spec.perDeviceNodeSelection", perDevice),
  );
  const set = [
    ...(nodeName ? ["`nodeName`"] : []),
    ...(nodeSelector ? ["`nodeSelector`"] : []),
    ...(allNodes ? ["`allNodes`"] : []),
    ...(perDevice ? ["`perDeviceNodeSelection`"] : []),
  ];
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) errors.push(required("spec", rule));
  if (set.length > 1) {
    const shown = `{${set.join(", ")}}`;
    errors.push(invalidValue("spec", shown, `${rule}, but multiple fields are set`));
  }
  return errors;
}

function countersErrors(
  at: string,
  part: string,
  name: string | undefined,
  counters: Readonly<Record<string, object>> = {},
): FieldError[] {
  const errors = name ? labelNameErrors(`${at}.${part}`, name) : [required(`${at}.${part}`)];
  const names = Object.keys(counters);
  const field = `${at}.counters`;
  if (names.length === 0) return [...errors, required(field)];
  if (names.length > MAX_COUNTERS) return [...errors, tooMany(field, names.length, MAX_COUNTERS)];
  return [...errors, ...names.flatMap((one) => labelNameErrors(field, one))];
}

function deviceErrors(device: Device, at: string, perDevice: boolean): FieldError[] {
  const { attributes = {}, capacity = {} } = device;
  const errors = labelNameErrors(`${at}.name`, device.name);
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > MAX_PROPERTIES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`;
    errors.push(invalidValue(at, properties, detail));
  }
  const values = Object.keys(attributes).length;
  if (values > MAX_VALUES) {
    const detail = `the total number of attribute values must not exceed ${MAX_VALUES}`;
    errors.push(invalidValue(at, values, detail));
  }
  for (const [name, attribute] of Object.entries(attributes)) {
    const field = `${at}.attributes`;
    errors.push(
      ...deviceNameErrors(field, name),
      ...attributeErrors(`${field}[${shortened(name)}]`, attribute),
    );
  }
  for (const [name, { value, requestPolicy }] of Object.entries(capacity)) {
    const field = `${at}.capacity`;
    const policy = `${field}[${shortened(name)}].requestPolicy`;
    errors.push(...deviceNameErrors(field, name));
    if (!requestPolicy) continue;
    errors.push(
      ...(device.allowMultipleAllocations === true
        ? policyErrors(policy, value, requestPolicy)
        : [forbidden(policy, "allowMultipleAllocations must be true")]),
    );
  }
  return [
    ...errors,
    ...eachErrors(`${at}.taints`, device.taints, MAX_TAINTS, (taint, field) =>
      deviceTaintErrors(field, taint),
    ),
    ...setErrors(
      `${at}.consumesCounters`,
      device.consumesCounters,
      MAX_CONSUMPTIONS,
      ({ counterSet, counters }, where) =>
        countersErrors(where, "counterSet", counterSet, counters),
      ({ counterSet = "" }) => counterSet,
    ),
    ...deviceNodesErrors(at, device, perDevice),
    ...bindingErrors(at, device),
  ];
}

/** A key in the form for field paths: long ones are cut in the middle. */
function shortened(key: string): string {
  const max = 63 + 1 + 32;
  if (key.length <= max) return key;
  const left = max - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

function attributeErrors(at: string, attribute: Attribute): FieldError[] {
  const { string: text, version } = attribute;
  const errors: FieldError[] = [];
  if (text !== undefined && Buffer.byteLength(text) > MAX_VALUE_LENGTH) {
    errors.push(tooLong(`${at}.string`, MAX_VALUE_LENGTH));
  }
  if (version !== undefined) {
    if (!SEMVER.test(version)) {
      const detail = "must be a string compatible with semver.org spec 2.0.0";
      errors.push(invalidValue(`${at}.version`, version, detail));
    }
    if (Buffer.byteLength(version) > MAX_VALUE_LENGTH) {
      errors.push(tooLong(`${at}.version`, MAX_VALUE_LENGTH));
    }
  }
  const set = (["bool", "int", "string", "version"] as const).filter(
    (part) => attribute[part] !== undefined,
  );
  if (set.length === 1) return errors;
  const shown = set.length === 0 ? "" : shownAttribute(attribute);
  return [...errors, invalidValue(at, shown, "exactly one value must be specified")];
}

const shownAttribute = ({ int, bool, string: text, version }: Attribute): object => ({
  IntValue: int ?? null,
  BoolValue: bool ?? null,
  StringValue: text ?? null,
  VersionValue: version ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
});

function deviceNodesErrors(at: string, device: Device, perDevice: boolean): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (nodeName === undefined && !nodeSelector && allNodes === undefined) return [];
    return [
      invalidValue(
        at,
        null,
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      ),
    ];
  }
  const field = `${at}.nodeName`;
  const errors =
    nodeName === ""
      ? [invalidValue(field, nodeName, "must not be empty")]
      : nodeName === undefined
        ? []
        : nameErrorsAt(field, nodeName, dns1123SubdomainErrors);
  errors.push(...nodeSelectionErrors(at, device), ...flagErrors(`${at}.allNodes`, allNodes));
  const set = [
    ...(nodeName ? ["`nodeName`"] : []),
    ...(nodeSelector ? ["`nodeSelector`"] : []),
    ...(allNodes ? ["`allNodes`"] : []),
  ];
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.length === 0) return [...errors, required(at, rule)];
  return set.length === 1 ? errors : [...errors, invalidValue(at, `{${set.join(", ")}}`, rule)];
}
