/** Validation of ResourceSlices, and the fields of theirs that belong to disabled features. */
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  ResourcePool,
  ResourceSlice as Slice,
  ResourceSliceSpec,
} from "../../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../../kube/check.ts";
import { quote } from "../../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../../kube/names.ts";
import { checkCsiDriverName } from "../../../shared/checks.ts";
import { checkNodeSelector } from "../../../shared/pods/scheduling.ts";
import type { Loose, Sent } from "../../../shared/shapes.ts";
import { asGiven } from "../../../go/emptied.ts";
import { internalForm } from "../../../go/internal.ts";
import {
  checkBinding,
  checkDeviceName,
  checkDeviceTaint,
  checkLabelName,
  checkPoolName,
  checkSet,
} from "../device-checks.ts";
import { checkRequestPolicy } from "./capacity-policies.ts";

export type ResourceSlice = Sent<Slice>;
type Spec = Check<Loose<ResourceSliceSpec> | undefined>;

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

/** Validates a ResourceSlice, and what it changes of the old one. */
export function checkResourceSlice(object: Check<ResourceSlice>, old?: ResourceSlice): void {
  const spec = object.at("spec");
  checkCsiDriverName(spec.at("driver"));
  checkPool(spec.at("pool"));
  if (old) {
    const { pool = {}, driver = "", nodeName } = old.spec ?? {};
    spec.child("pool.name", spec.value?.pool?.name ?? "").unchanged(pool.name ?? "");
    spec.child("driver", spec.value?.driver ?? "").unchanged(driver);
    spec.at("nodeName").unchanged(nodeName);
  }
  checkNodes(spec);
  const isGiven = (field: string): boolean => asGiven(spec.value, field) !== null;
  if (isGiven("sharedCounters") && isGiven("devices")) {
    spec.invalid("only one of `sharedCounters` or `devices` is allowed", "");
  }
  const devices = spec.at("devices");
  const isAdvanced = devices.value?.some(
    ({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0,
  );
  const checkOne = (device: Check<Loose<Device>>): void => {
    checkDevice(device, spec.value?.perDeviceNodeSelection === true);
  };
  const max = isAdvanced ? MAX_ADVANCED_DEVICES : MAX_DEVICES;
  checkSet(devices, max, checkOne, ({ name = "" }) => name);
  const checkCounterSet = (set: Check<Loose<CounterSet>>): void => {
    checkCounters(set.at("name"), set.at("counters"));
  };
  checkSet(spec.at("sharedCounters"), MAX_COUNTER_SETS, checkCounterSet, ({ name = "" }) => name);
}

function checkPool(pool: Check<Loose<ResourcePool> | undefined>): void {
  const { resourceSliceCount: count = 0, generation = 0 } = pool.value ?? {};
  checkPoolName(pool.at("name"));
  if (count <= 0) pool.at("resourceSliceCount").invalid("must be greater than zero", count);
  if (generation < 0) pool.at("generation").invalid("must be greater than or equal to zero");
}

/** Validates a flag that is either absent or true. */
function checkFlag(flag: Check<boolean | undefined>): void {
  if (flag.value === false) flag.invalid("must be either unset or set to true");
}

/** The names of the fields that are set, as messages list them. */
const namesOfSet = (fields: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(fields).flatMap((name) => (fields[name] ? [`\`${name}\``] : []));

function checkNodes(spec: Spec): void {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec.value ?? {};
  const name = spec.at("nodeName");
  if (nodeName === "") name.invalid("must be either unset or set to a non-empty string");
  else name.nameIfGiven(dns1123SubdomainErrors);
  const selector = spec.at("nodeSelector");
  selector.ifSet(checkNodeSelector);
  const terms = selector.at("nodeSelectorTerms");
  if (selector.value && terms.count !== 1) {
    const shown = internalForm("[]core.NodeSelectorTerm", terms.value);
    terms.invalid("must have exactly one node selector term", shown);
  }
  checkFlag(spec.at("allNodes"));
  checkFlag(spec.at("perDeviceNodeSelection"));
  const set = namesOfSet({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection });
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (set.length === 0) spec.required(rule);
  if (set.length > 1) {
    spec.invalid(`${rule}, but multiple fields are set`, `{${set.join(", ")}}`);
  }
}

function checkCounters(
  name: Check<string | undefined>,
  counters: Check<Readonly<Record<string, unknown>> | undefined>,
): void {
  if (name.given()) checkLabelName(name);
  if (counters.count === 0) counters.required();
  else if (counters.count > MAX_COUNTERS) counters.tooMany(MAX_COUNTERS);
  else for (const one of Object.keys(counters.value ?? {})) checkLabelName(counters.as(one));
}

function checkDevice(device: Check<Loose<Device>>, perDevice: boolean): void {
  const attributes = device.at("attributes");
  const capacity = device.at("capacity");
  checkLabelName(device.at("name"));
  const properties = attributes.count + capacity.count;
  if (properties > MAX_PROPERTIES) {
    device.invalid(
      `the total number of attributes and capacities must not exceed ${MAX_PROPERTIES}`,
      properties,
    );
  }
  if (attributes.count > MAX_VALUES) {
    device.invalid(
      `the total number of attribute values must not exceed ${MAX_VALUES}`,
      attributes.count,
    );
  }
  for (const [name, attribute] of Object.entries(attributes.value ?? {})) {
    checkDeviceName(attributes.as(name));
    checkAttribute(device.child(`attributes[${shortened(name)}]`, attribute));
  }
  for (const [name, amount] of Object.entries(capacity.value ?? {})) {
    checkDeviceName(capacity.as(name));
    checkCapacity(device.child(`capacity[${shortened(name)}]`, amount), device.value);
  }
  device.at("taints").eachOf(MAX_TAINTS, (taint) => {
    checkDeviceTaint(taint);
  });
  checkSet(
    device.at("consumesCounters"),
    MAX_CONSUMPTIONS,
    (consumed) => {
      checkCounters(consumed.at("counterSet"), consumed.at("counters"));
    },
    ({ counterSet = "" }) => counterSet,
  );
  checkDeviceNodes(device, perDevice);
  checkBinding(device);
}

function checkCapacity(
  capacity: Check<Loose<DeviceCapacity>>,
  { allowMultipleAllocations }: Loose<Device>,
): void {
  capacity.at("requestPolicy").ifSet((policy) => {
    if (allowMultipleAllocations) checkRequestPolicy(policy, capacity.value.value ?? "0");
    else policy.forbidden("allowMultipleAllocations must be true");
  });
}

/** A key in the form for field paths: long ones are cut in the middle. */
function shortened(key: string): string {
  const max = 63 + 1 + 32;
  if (key.length <= max) return key;
  const left = max - 3;
  return `${key.slice(0, Math.floor((left + 1) / 2))}...${key.slice(key.length - Math.floor(left / 2))}`;
}

function checkAttribute(attribute: Check<Loose<DeviceAttribute>>): void {
  attribute.at("string").atMostBytes(MAX_VALUE_LENGTH);
  attribute.at("version").ifSet((version) => {
    if (!SEMVER.test(version.value)) {
      version.invalid("must be a string compatible with semver.org spec 2.0.0");
    }
    version.atMostBytes(MAX_VALUE_LENGTH);
  });
  const set = (["bool", "int", "string", "version"] as const).filter(
    (part) => attribute.value[part] !== undefined,
  );
  if (set.length === 1) return;
  const shown = set.length === 0 ? "" : shownAttribute(attribute.value);
  attribute.invalid("exactly one value must be specified", shown);
}

const shownAttribute = ({ int, bool, string: text, version }: Loose<DeviceAttribute>): object => ({
  IntValue: int ?? null,
  BoolValue: bool ?? null,
  StringValue: text ?? null,
  VersionValue: version ?? null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
});

function checkDeviceNodes(device: Check<Loose<Device>>, perDevice: boolean): void {
  const { nodeName, nodeSelector, allNodes } = device.value;
  if (!perDevice) {
    if (nodeName === undefined && !nodeSelector && allNodes === undefined) return;
    device.invalid(
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      null,
    );
    return;
  }
  const name = device.at("nodeName");
  if (nodeName === "") name.invalid("must not be empty");
  else name.nameIfGiven(dns1123SubdomainErrors);
  device.at("nodeSelector").ifSet(checkNodeSelector);
  checkFlag(device.at("allNodes"));
  const set = namesOfSet({ nodeName, nodeSelector, allNodes });
  const rule =
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
  if (set.length === 0) device.required(rule);
  else if (set.length > 1) device.invalid(rule, `{${set.join(", ")}}`);
}
