/** Validation of the spec of a PersistentVolume, which a VolumeAttachment may contain too. */
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { asGiven } from "../../go/emptied.ts";
import type { VolumeSpec } from "../shapes.ts";
import { checkNodeSelector } from "../pods/scheduling.ts";
import { DISKS, type SourceChecks, checkCsi, checkSources } from "./disk-sources.ts";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** The modes in which a volume is attached to containers. */
export const VOLUME_MODES = ["Block", "Filesystem"];

/** Validates access modes, and that ReadWriteOncePod is not combined with others. */
export function checkAccessModes(modes: Check<readonly string[] | undefined>): void {
  const known = (modes.value ?? []).filter((mode) => ACCESS_MODES.includes(mode));
  for (const mode of modes.value ?? []) modes.as(mode).oneOf(ACCESS_MODES);
  if (known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod")) {
    modes.forbidden("may not use ReadWriteOncePod with other access modes");
  }
}

export function checkPositive(amount: Check<number | string>): void {
  if (parseQuantity(amount.value).nanos <= 0n) amount.invalid("must be greater than zero");
}

const SOURCES: SourceChecks<VolumeSpec> = { ...DISKS, csi: checkCsi };

const INLINE = "in the context of inline volumes";
const NOT_INLINE = `may not be specified ${INLINE}`;

/**
 * Validates the spec of a PersistentVolume.
 *
 * @param name - the name of the volume; `undefined` for an inline spec in an attachment
 */
export function checkVolumeSpec(spec: Check<VolumeSpec>, name: string | undefined): void {
  const { nodeAffinity, hostPath, local } = spec.value;
  const inline = name === undefined;
  const modes = spec.at("accessModes");
  const policy = spec.at("persistentVolumeReclaimPolicy");
  const className = spec.at("storageClassName");
  if (inline) checkInline(spec);
  modes.given();
  checkAccessModes(modes);
  if (!inline) checkCapacity(spec.at("capacity"), asGiven(spec.value, "capacity"));
  if (policy.value && !inline) policy.oneOf(["Delete", "Recycle", "Retain"]);
  else if (policy.value && policy.value !== "Retain") {
    policy.forbidden(`may only be Retain ${INLINE}`);
  }
  spec.at("nodeAffinity").ifSet((affinity) => {
    const wanted = affinity.at("required");
    if (inline) affinity.forbidden(NOT_INLINE);
    else if (wanted.value) checkNodeSelector(wanted.as(wanted.value));
    else wanted.required("must specify required node constraints");
  });
  const owner = { name: spec.child("name", name ?? ""), persistent: true };
  checkSources(spec, SOURCES, owner, (source) => {
    if (source === "local" && local && (!nodeAffinity || inline)) {
      spec.at("nodeAffinity").required("Local volume requires node affinity");
    }
  });
  if (/^\/+$/.test(hostPath?.path ?? "") && policy.value === "Recycle") {
    policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  }
  if (!inline) className.nameIfGiven(dns1123SubdomainErrors);
  else if (className.value) className.forbidden(NOT_INLINE);
  spec.at("volumeMode").ifSet((mode) => {
    if (!inline) mode.oneOf(VOLUME_MODES);
    else if (mode.value !== "Filesystem") {
      mode.forbidden(`may not specify volumeMode other than Filesystem ${INLINE}`);
    }
  });
  if (!inline) checkAttributesClass(spec);
}

/** Validates that an inline spec has no fields that only a PersistentVolume may have. */
function checkInline(spec: Check<VolumeSpec>): void {
  const { claimRef, capacity = {}, csi } = spec.value;
  if (claimRef) spec.at("claimRef").forbidden(NOT_INLINE);
  if (Object.keys(capacity).length > 0) spec.at("capacity").forbidden(NOT_INLINE);
  if (!csi) spec.at("csi").required(`has to be specified ${INLINE}`);
}

/** @param given - the capacity as it was sent */
function checkCapacity(capacity: Check<VolumeSpec["capacity"]>, given: unknown): void {
  const names = Object.keys(capacity.value ?? {});
  if (names.length === 0) capacity.required();
  if (!names.includes("storage") || names.length > 1) {
    capacity.notSupported(["storage"], names.length === 0 ? given : capacity.value);
  }
  capacity.eachEntry((amount) => {
    const whole = parseQuantity(amount.value).nanos / 1_000_000_000n;
    if (whole < 0n) amount.invalid("must be a valid resource quantity", Number(whole));
    checkPositive(amount);
  });
}

function checkAttributesClass(spec: Check<VolumeSpec>): void {
  spec.at("volumeAttributesClassName").ifSet((name) => {
    if (name.given("an empty string is disallowed")) name.named(dns1123SubdomainErrors);
    const detail = "has to be specified when using volumeAttributesClassName";
    if (!spec.value.csi) spec.at("csi").required(detail);
  });
}
