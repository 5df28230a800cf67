import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim as Claim,
  ResourceClaimStatus,
} from "../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { quote } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt } from "../../at.ts";
import { formatAddress, parseRange } from "../../shared/addresses/addresses.ts";
import {
  checkCsiDriverName,
  checkUnchangedForm,
  checked,
  checkedChange,
} from "../../shared/checks.ts";
import { checkConditions } from "../../shared/conditions.ts";
import { checkNodeSelector } from "../../shared/pods/scheduling.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { setResourceClaimDefaults } from "./claim-defaults.ts";
import {
  type RequestNames,
  checkAdminAccess,
  checkClaimSpec,
  checkRequestReference,
  checkRequestReferences,
  namesIn,
} from "./claim-spec.ts";
import {
  checkBinding,
  checkConfiguration,
  checkLabelName,
  checkPoolName,
  checkRaw,
  checkSet,
} from "./device-checks.ts";

type ResourceClaim = Sent<Claim>;
type Status = Loose<ResourceClaimStatus>;
type Result = Loose<DeviceRequestAllocationResult>;
type DeviceId = Pick<Result, "driver" | "pool" | "device" | "shareID">;

const MAX_RESULTS = 32;
const MAX_CONFIGS = 64;
const MAX_CONSUMERS = 256;
const MAX_CONDITIONS = 8;
const MAX_DATA = 10 * 1024;
const MAX_ADDRESSES = 16;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const idOf = ({ driver = "", pool = "", device = "", shareID = "" }: DeviceId): object => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

const keysOf = (status: Status | undefined): Set<string> =>
  new Set((status?.allocation?.devices?.results ?? []).map((one) => JSON.stringify(idOf(one))));

/** Drops the status of devices that are no longer allocated to the claim. */
function dropDeallocatedDevices(object: ResourceClaim, previous: ResourceClaim): void {
  const { status } = object;
  if (!status?.devices) return;
  const before = keysOf(previous.status);
  const now = keysOf(status);
  status.devices = status.devices.filter((device) => {
    const key = JSON.stringify(idOf(device));
    return !before.has(key) || now.has(key);
  });
  if (status.devices.length === 0) delete status.devices;
}

/** Validates the status of a claim and its change. */
function checkStatus(object: Check<ResourceClaim>, previous: ResourceClaim): void {
  const status = object.at("status");
  const { status: old } = previous;
  const consumers = status.at("reservedFor");
  const allocation = status.at("allocation");
  const allocated = keysOf(status.value);
  const checkConsumer = (consumer: Check<NonNullable<Status["reservedFor"]>[number]>): void => {
    for (const part of ["resource", "name", "uid"] as const) consumer.at(part).given();
  };
  checkSet(consumers, MAX_CONSUMERS, checkConsumer, ({ uid = "" }) => uid);
  status.at("devices").each((device) => {
    checkDeviceStatus(device, allocated);
  });
  status.at("devices").unique(idOf);
  if (consumers.count > 0 && !allocation.value) {
    consumers.forbidden("may not be specified when `allocated` is not set");
  } else if (object.value.metadata.deletionTimestamp !== undefined) {
    const known = new Set((old?.reservedFor ?? []).map((one) => JSON.stringify(one)));
    if (consumers.value?.some((one) => !known.has(JSON.stringify(one)))) {
      consumers.forbidden(
        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
      );
    }
  }
  if (old?.allocation && allocation.value) {
    checkUnchangedForm(allocation, "*resource.AllocationResult", old.allocation);
  } else checkAllocation(allocation, namesIn(object.value.spec?.devices));
}

function checkAllocation(allocation: Check<Status["allocation"]>, names: RequestNames): void {
  const devices = allocation.at("devices");
  devices.at("results").eachOf(MAX_RESULTS, (result) => {
    checkRequestReference(result.at("request"), names);
    checkPlace(result);
    checkBinding(result);
    checkShare(result.at("shareID"));
  });
  devices.at("config").eachOf(MAX_CONFIGS, (config) => {
    if (config.at("source").given()) config.at("source").oneOf(["FromClaim", "FromClass"]);
    checkRequestReferences(config.at("requests"), names);
    checkConfiguration(config);
  });
  allocation.at("nodeSelector").ifSet(checkNodeSelector);
}

function checkPlace(device: Check<DeviceId>): void {
  checkCsiDriverName(device.at("driver"));
  checkPoolName(device.at("pool"));
  checkLabelName(device.at("device"));
}

function checkShare(share: Check<string | undefined>): void {
  const { value: id } = share;
  if (id === undefined || UID.test(id)) return;
  if (UID.test(id.toLowerCase())) {
    share.invalid(
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
    );
    return;
  }
  const reason = id.length === 36 ? "invalid UUID format" : `invalid UUID length: ${id.length}`;
  share.invalid(`error validating uid: ${reason}`);
}

function checkDeviceStatus(
  device: Check<Loose<AllocatedDeviceStatus>>,
  allocated: ReadonlySet<string>,
): void {
  const id = idOf(device.value);
  checkPlace(device);
  checkShare(device.at("shareID"));
  if (!allocated.has(JSON.stringify(id))) {
    device.invalid("must be an allocated device in the claim", id);
  }
  device.at("conditions").atMost(MAX_CONDITIONS);
  checkConditions(device.at("conditions"));
  device.at("data").ifSet((data) => {
    checkRaw(data, MAX_DATA);
  });
  device.at("networkData").ifSet(checkNetwork);
}

function checkNetwork(network: Check<Loose<NetworkDeviceData>>): void {
  network.at("interfaceName").atMostBytes(MAX_INTERFACE_NAME);
  network.at("hardwareAddress").atMostBytes(MAX_HARDWARE_ADDRESS);
  checkSet(network.at("ips"), MAX_ADDRESSES, checkInterfaceAddress);
}

/** Validates an interface address with the length of its network prefix, in canonical form. */
function checkInterfaceAddress(address: Check<string>): void {
  const range = parseRange(address.value);
  if (!range) {
    address.invalid("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
    return;
  }
  const usual = `${formatAddress(range)}/${range.length}`;
  if (address.value !== usual) address.invalid(`must be in canonical form (${quote(usual)})`);
}

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

export const resourceClaimRules: KindRules = {
  status: "none",
  setDefaults: setResourceClaimDefaults,
  validateCreate: checked<ResourceClaim>((object, context) => {
    checkAdminAccess(object, object.value.spec, context);
    checkClaimSpec(object.at("spec"));
  }),
  validateUpdate: checkedChange<ResourceClaim>((object, old) => {
    checkUnchangedForm(object.at("spec"), "resource.ResourceClaimSpec", old.spec);
  }),
  prepareForStatus: dropDeallocatedDevices,
  validateStatus: checkedChange(checkStatus),
  table: { State: claimState },
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
  resetFields: { status: ["spec", "metadata"] },
};
