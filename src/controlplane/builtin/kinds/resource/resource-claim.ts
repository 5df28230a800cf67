/** Rules of the kind ResourceClaim. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  quote,
  required,
  tooLong,
  tooMany,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt } from "../../at.ts";
import { formatAddress, parseRange } from "../../shared/addresses/addresses.ts";
import { csiDriverNameErrors, immutableForm, oneOf } from "../../shared/checks.ts";
import { type ShownCondition, conditionsErrors } from "../../shared/conditions.ts";
import { nodeSelectorErrors } from "../../shared/pods/scheduling.ts";
import type { NodeSelector } from "../../shared/pods/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";
import { setResourceClaimDefaults } from "./claim-defaults.ts";
import {
  type ClaimSpec,
  type RequestNames,
  adminErrors,
  claimSpecErrors,
  namesIn,
  requestReferenceErrors,
  requestReferencesErrors,
} from "./claim-spec.ts";
import {
  type BindingParameters,
  type DeviceConfiguration,
  bindingErrors,
  configurationErrors,
  eachErrors,
  labelNameErrors,
  poolNameErrors,
  rawErrors,
  setErrors,
} from "./device-checks.ts";

/** Validates an interface address with the length of its network prefix, in canonical form. */
function interfaceAddressErrors(field: string, text: string): FieldError[] {
  const range = parseRange(text);
  if (!range) {
    const detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    return [invalidValue(field, text, detail)];
  }
  const usual = `${formatAddress(range)}/${range.length}`;
  return text === usual
    ? []
    : [invalidValue(field, text, `must be in canonical form (${quote(usual)})`)];
}

const MAX_RESULTS = 32;
const MAX_CONFIGS = 64;
const MAX_CONSUMERS = 256;
const MAX_CONDITIONS = 8;
const MAX_DATA = 10 * 1024;
const MAX_ADDRESSES = 16;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const SOURCES = ["FromClaim", "FromClass"];
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface DeviceId {
  driver?: string;
  pool?: string;
  device?: string;
  shareID?: string;
}

interface Result extends DeviceId, BindingParameters {
  request?: string;
}

interface Allocation {
  devices?: {
    results?: Result[] | null;
    config?: (DeviceConfiguration & { source?: string; requests?: string[] | null })[] | null;
  };
  nodeSelector?: NodeSelector;
}

interface NetworkData {
  interfaceName?: string;
  ips?: string[] | null;
  hardwareAddress?: string;
}

interface DeviceStatus extends DeviceId {
  conditions?: ShownCondition[] | null;
  data?: unknown;
  networkData?: NetworkData;
}

interface ClaimStatus {
  allocation?: Allocation;
  devices?: DeviceStatus[] | null;
  reservedFor?: { resource?: string; name?: string; uid?: string }[] | null;
}

interface ResourceClaim extends SentObject {
  spec?: ClaimSpec;
  status?: ClaimStatus;
}

const idOf = ({ driver = "", pool = "", device = "", shareID = "" }: DeviceId): object => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

const keysOf = ({ allocation }: ClaimStatus): Set<string> =>
  new Set((allocation?.devices?.results ?? []).map((one) => JSON.stringify(idOf(one))));

/** Drops the status of devices that are no longer allocated to the claim. */
function dropDeallocatedDevices(object: ResourceClaim, previous: ResourceClaim): void {
  const { status } = object;
  if (!status?.devices) return;
  const before = keysOf(previous.status ?? {});
  const now = keysOf(status);
  status.devices = status.devices.filter((device) => {
    const key = JSON.stringify(idOf(device));
    return !before.has(key) || now.has(key);
  });
  if (status.devices.length === 0) delete status.devices;
}

/** Validates the status of a claim and its change. */
function claimAllocationErrors(object: ResourceClaim, previous: ResourceClaim): FieldError[] {
  const { status = {}, metadata } = object;
  const old = previous.status ?? {};
  const { allocation } = status;
  const reservedFor = status.reservedFor ?? [];
  const allocated = keysOf(status);
  const errors = [
    ...setErrors(
      "status.reservedFor",
      reservedFor,
      MAX_CONSUMERS,
      consumerErrors,
      ({ uid = "" }) => uid,
    ),
    ...setErrors(
      "status.devices",
      status.devices,
      Number.POSITIVE_INFINITY,
      (device, at) => deviceErrors(device, at, allocated),
      idOf,
    ),
  ];
  if (reservedFor.length > 0 && !allocation) {
    const detail = "may not be specified when `allocated` is not set";
    errors.push(forbidden("status.reservedFor", detail));
  } else if (metadata.deletionTimestamp !== undefined) {
    const known = new Set((old.reservedFor ?? []).map((one) => JSON.stringify(one)));
    if (reservedFor.some((one) => !known.has(JSON.stringify(one)))) {
      const detail =
        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
      errors.push(forbidden("status.reservedFor", detail));
    }
  }
  if (!allocation) return errors;
  const type = "*resource.AllocationResult";
  return [
    ...errors,
    ...(old.allocation
      ? immutableForm("status.allocation", type, allocation, old.allocation)
      : allocationErrors("status.allocation", allocation, requestNamesOf(object))),
  ];
}

function consumerErrors(
  consumer: { resource?: string; name?: string; uid?: string },
  at: string,
): FieldError[] {
  return (["resource", "name", "uid"] as const).flatMap((part) =>
    consumer[part] ? [] : [required(`${at}.${part}`)],
  );
}

function allocationErrors(at: string, allocation: Allocation, names: RequestNames): FieldError[] {
  const { devices = {}, nodeSelector } = allocation;
  return [
    ...eachErrors(`${at}.devices.results`, devices.results, MAX_RESULTS, (result, where) => [
      ...requestReferenceErrors(`${where}.request`, result.request ?? "", names),
      ...placeErrors(where, result),
      ...bindingErrors(where, result),
      ...shareErrors(where, result),
    ]),
    ...eachErrors(`${at}.devices.config`, devices.config, MAX_CONFIGS, (config, where) => [
      ...sourceErrors(`${where}.source`, config.source ?? ""),
      ...requestReferencesErrors(`${where}.requests`, config.requests, names),
      ...configurationErrors(where, config),
    ]),
    ...(nodeSelector ? nodeSelectorErrors(`${at}.nodeSelector`, nodeSelector) : []),
  ];
}

function sourceErrors(field: string, source: string): FieldError[] {
  if (source === "") return [required(field)];
  return oneOf(field, source, SOURCES);
}

const placeErrors = (at: string, { driver = "", pool, device }: DeviceId): FieldError[] => [
  ...csiDriverNameErrors(`${at}.driver`, driver),
  ...poolNameErrors(`${at}.pool`, pool),
  ...labelNameErrors(`${at}.device`, device),
];

function shareErrors(at: string, { shareID }: DeviceId): FieldError[] {
  if (shareID === undefined || UID.test(shareID)) return [];
  const field = `${at}.shareID`;
  if (UID.test(shareID.toLowerCase())) {
    const detail =
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";
    return [invalidValue(field, shareID, detail)];
  }
  const { length } = shareID;
  const reason = length === 36 ? "invalid UUID format" : `invalid UUID length: ${length}`;
  return [invalidValue(field, shareID, `error validating uid: ${reason}`)];
}

function deviceErrors(
  device: DeviceStatus,
  at: string,
  allocated: ReadonlySet<string>,
): FieldError[] {
  const { data, networkData } = device;
  const conditions = device.conditions ?? [];
  const id = idOf(device);
  const errors = [...placeErrors(at, device), ...shareErrors(at, device)];
  if (!allocated.has(JSON.stringify(id))) {
    errors.push(invalidValue(at, id, "must be an allocated device in the claim"));
  }
  if (conditions.length > MAX_CONDITIONS) {
    errors.push(tooMany(`${at}.conditions`, conditions.length, MAX_CONDITIONS));
  }
  return [
    ...errors,
    ...conditionsErrors(`${at}.conditions`, conditions),
    ...(data === undefined || data === null ? [] : rawErrors(`${at}.data`, data, MAX_DATA)),
    ...(networkData ? networkErrors(`${at}.networkData`, networkData) : []),
  ];
}

function networkErrors(at: string, network: NetworkData): FieldError[] {
  const { interfaceName = "", hardwareAddress = "", ips } = network;
  return [
    ...(Buffer.byteLength(interfaceName) > MAX_INTERFACE_NAME
      ? [tooLong(`${at}.interfaceName`, MAX_INTERFACE_NAME)]
      : []),
    ...(Buffer.byteLength(hardwareAddress) > MAX_HARDWARE_ADDRESS
      ? [tooLong(`${at}.hardwareAddress`, MAX_HARDWARE_ADDRESS)]
      : []),
    ...setErrors(
      `${at}.ips`,
      ips,
      MAX_ADDRESSES,
      (address, field) => interfaceAddressErrors(field, address),
      (address) => address,
    ),
  ];
}

function requestNamesOf(claim: ResourceClaim): RequestNames {
  return namesIn(claim.spec?.devices ?? {});
}

/** Validates a new ResourceClaim. */
function newResourceClaimErrors(object: ResourceClaim, context: WriteContext): FieldError[] {
  const { spec = {}, metadata } = object;
  return [
    ...adminErrors(spec.devices ?? {}, metadata.namespace ?? "", context),
    ...claimSpecErrors("spec", spec),
  ];
}

/** Validates that the spec is unchanged. */
const resourceClaimUpdateErrors = (
  object: ResourceClaim,
  previous: ResourceClaim,
): FieldError[] => {
  const { spec } = object;
  return immutableForm("spec", "resource.ResourceClaimSpec", spec, previous.spec);
};

function claimState(claim: SentObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const isAllocated = at(claim, "status.allocation") !== undefined;
  const isReserved = isAllocated && listAt(claim, "status.reservedFor").length > 0;
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ].join(",");
}

/** The rules of ResourceClaims. */
export const resourceClaimRules: KindRules = {
  status: "none",
  setDefaults: setResourceClaimDefaults,
  validateCreate: newResourceClaimErrors,
  validateUpdate: resourceClaimUpdateErrors,
  prepareForStatus: dropDeallocatedDevices,
  validateStatus: claimAllocationErrors,
  table: printer([nameColumn, column("State", claimState), ageColumn]),
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
  resetFields: { status: ["spec", "metadata"] },
  columnTexts: {
    State: "A summary of the current state (allocated, pending, reserved, etc.).",
  },
};
