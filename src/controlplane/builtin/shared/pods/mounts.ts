/** Validation of volume mounts and raw devices of containers. */
import type { Check } from "../../../../kube/check.ts";
import { checkLocalPath } from "../checks.ts";
import type { Container, Volume, VolumeMount } from "./pod-shapes.ts";

/** Validates the volume mounts of a container. */
export function checkMounts(
  container: Check<Container>,
  volumes: ReadonlyMap<string, Volume>,
): void {
  const { volumeDevices = [], securityContext } = container.value;
  const mounts = container.at("volumeMounts");
  const paths = new Set<string>();
  mounts.each((mount) => {
    const name = mount.at("name");
    const path = mount.at("mountPath");
    const { subPath = "", subPathExpr = "" } = mount.value;
    name.given();
    if (!volumes.has(name.value)) name.notFound();
    path.given();
    if (paths.has(path.value)) path.invalid("must be unique");
    paths.add(path.value);
    if (volumeDevices.some((device) => device.name === name.value)) {
      name.invalid("must not already exist in volumeDevices");
    }
    if (volumeDevices.some(({ devicePath }) => devicePath === path.value)) {
      path.invalid("must not already exist as a path in volumeDevices");
    }
    if (subPath !== "") checkLocalPath(mounts.child("subPath", subPath));
    if (subPathExpr !== "") {
      if (subPath !== "") {
        mount.at("subPathExpr").invalid("subPathExpr and subPath are mutually exclusive");
      }
      checkLocalPath(mounts.child("subPathExpr", subPathExpr));
    }
    checkSharing(mounts.as(mount.value), securityContext?.privileged === true);
  });
}

/** Validates mount propagation and recursive read-only mounts. */
function checkSharing(mount: Check<VolumeMount>, isPrivileged: boolean): void {
  const { mountPropagation = "None", readOnly } = mount.value;
  mount.at("mountPropagation").ifSet((propagation) => {
    propagation.oneOf(["Bidirectional", "HostToContainer", "None"]);
    if (propagation.value === "Bidirectional" && !isPrivileged) {
      propagation.forbidden(
        "Bidirectional mount propagation is available only to privileged containers",
      );
    }
  });
  mount.at("recursiveReadOnly").ifSet((recursive) => {
    if (recursive.value === "Disabled") return;
    if (!recursive.passes((it) => it.oneOf(["Disabled", "Enabled", "IfPossible"]))) return;
    if (readOnly !== true) recursive.forbidden("may only be specified when readOnly is true");
    if (mountPropagation !== "None") {
      recursive.forbidden("may only be specified when mountPropagation is None or not specified");
    }
  });
}

/** Validates the raw devices of a container. */
export function checkDevices(
  container: Check<Container>,
  volumes: ReadonlyMap<string, Volume>,
): void {
  const { volumeMounts = [] } = container.value;
  const names = new Set<string>();
  const paths = new Set<string>();
  container.at("volumeDevices").each((device) => {
    const name = device.at("name");
    const path = device.at("devicePath");
    const volume = volumes.get(name.value);
    name.given();
    if (names.has(name.value)) name.invalid("must be unique");
    if (!volume) name.notFound();
    else if (!volume.persistentVolumeClaim && !volume.ephemeral) {
      name.invalid(
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
      );
    }
    path.given();
    if (paths.has(path.value)) path.invalid("must be unique");
    if (path.value.split("/").includes("..")) path.invalid("can not contain backsteps ('..')");
    else paths.add(path.value);
    if (volumeMounts.some((mount) => mount.name === name.value)) {
      name.invalid("must not already exist in volumeMounts");
    }
    if (volumeMounts.some(({ mountPath }) => mountPath === path.value)) {
      path.invalid("must not already exist as a path in volumeMounts");
    }
    if (name.value !== "") names.add(name.value);
  });
}
