/** Validation of volume mounts and raw devices of containers. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { backstepErrors, localPathErrors } from "../checks.ts";
import type { Container, Volume } from "./shapes.ts";

const PROPAGATIONS = ["Bidirectional", "HostToContainer", "None"];
const RECURSIVE = ["Disabled", "Enabled", "IfPossible"];

type Mount = NonNullable<Container["volumeMounts"]>[number];

/** Validates the volume mounts of a container. */
export function mountsErrors(
  field: string,
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const paths = new Set<string>();
  const devices = container.volumeDevices ?? [];
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const { name, mountPath } = mount;
    const errors: FieldError[] = [];
    const refuse = (part: string, value: string, detail: string): void => {
      errors.push(invalidValue(`${at}.${part}`, value, detail));
    };
    if (name === "") errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundValue(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) refuse("mountPath", mountPath, "must be unique");
    paths.add(mountPath);
    if (devices.some((device) => device.name === name)) {
      refuse("name", name, "must not already exist in volumeDevices");
    }
    if (devices.some(({ devicePath }) => devicePath === mountPath)) {
      refuse("mountPath", mountPath, "must not already exist as a path in volumeDevices");
    }
    const { subPath = "", subPathExpr = "" } = mount;
    if (subPath !== "") errors.push(...localPathErrors(`${field}.subPath`, subPath));
    if (subPathExpr !== "") {
      if (subPath !== "") {
        refuse("subPathExpr", subPathExpr, "subPathExpr and subPath are mutually exclusive");
      }
      errors.push(...localPathErrors(`${field}.subPathExpr`, subPathExpr));
    }
    return [...errors, ...sharingErrors(field, mount, container)];
  });
}

/** Validates mount propagation and recursive read-only mounts. */
function sharingErrors(field: string, mount: Mount, container: Container): FieldError[] {
  const { mountPropagation: propagation, recursiveReadOnly: recursive } = mount;
  const errors: FieldError[] = [];
  if (propagation !== undefined) {
    const at = `${field}.mountPropagation`;
    if (!PROPAGATIONS.includes(propagation)) {
      errors.push(notSupported(at, propagation, PROPAGATIONS));
    }
    if (propagation === "Bidirectional" && container.securityContext?.privileged !== true) {
      const detail = "Bidirectional mount propagation is available only to privileged containers";
      errors.push(forbidden(at, detail));
    }
  }
  if (recursive === undefined || recursive === "Disabled") return errors;
  const at = `${field}.recursiveReadOnly`;
  if (!RECURSIVE.includes(recursive)) return [...errors, notSupported(at, recursive, RECURSIVE)];
  if (mount.readOnly !== true) {
    errors.push(forbidden(at, "may only be specified when readOnly is true"));
  }
  if (propagation !== undefined && propagation !== "None") {
    const detail = "may only be specified when mountPropagation is None or not specified";
    errors.push(forbidden(at, detail));
  }
  return errors;
}

/** Validates the raw devices of a container. */
export function devicesErrors(
  field: string,
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  return (container.volumeDevices ?? []).flatMap(({ name, devicePath }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const refuse = (part: string, value: string, detail: string): void => {
      errors.push(invalidValue(`${at}.${part}`, value, detail));
    };
    const volume = volumes.get(name);
    if (name === "") errors.push(required(`${at}.name`));
    if (names.has(name)) refuse("name", name, "must be unique");
    if (!volume) errors.push(notFoundValue(`${at}.name`, name));
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      const detail =
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      refuse("name", name, detail);
    }
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) refuse("devicePath", devicePath, "must be unique");
    if (backstepErrors("", devicePath).length > 0) {
      refuse("devicePath", devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) {
      refuse("name", name, "must not already exist in volumeMounts");
    }
    if (mounts.some(({ mountPath }) => mountPath === devicePath)) {
      refuse("devicePath", devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
    return errors;
  });
}
