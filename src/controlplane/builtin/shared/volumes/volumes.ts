/** Validation of the volumes of a pod. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { textAt } from "../../at.ts";
import { localPathErrors } from "../checks.ts";
import type { Volume } from "../pods/shapes.ts";
import { claimTemplateErrors } from "./claim-spec.ts";
import { DISKS, type SourceCheck, texts, volumeSourceErrors } from "./disk-sources.ts";
import { downwardErrors, keyFilesErrors, projectedErrors } from "./file-sources.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

/** The volume sources that only a pod may have. */
const OWN: Readonly<Record<string, SourceCheck>> = {
  emptyDir: (field, source) => {
    const limit = textAt(source, "sizeLimit", "0");
    return parseQuantity(limit).nanos < 0n
      ? [forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [];
  },
  gitRepo: (field, source) => [
    ...texts(field, source, "repository"),
    ...localPathErrors(`${field}.directory`, textAt(source, "directory")),
  ],
  secret: (field, source) => keyFilesErrors(field, source, "secretName"),
  persistentVolumeClaim: (field, source) => texts(field, source, "claimName"),
  downwardAPI: downwardErrors,
  configMap: (field, source) => keyFilesErrors(field, source, "name"),
  projected: (field, source) => projectedErrors(field, source as NonNullable<Volume["projected"]>),
  ephemeral: (field, source) =>
    claimTemplateErrors(
      `${field}.volumeClaimTemplate`,
      (source as NonNullable<Volume["ephemeral"]>).volumeClaimTemplate,
    ),
  image: (field, source) => {
    const policy = textAt(source, "pullPolicy");
    return [
      ...texts(field, source, "reference"),
      ...(policy === "" || PULL_POLICIES.includes(policy)
        ? []
        : [notSupported(`${field}.pullPolicy`, policy, PULL_POLICIES)]),
    ];
  },
};

/** The sources of a volume, in the order in which the API server checks them. */
const SOURCES = [
  "emptyDir",
  "hostPath",
  "gitRepo",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "flocker",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephfs",
  "quobyte",
  "downwardAPI",
  "fc",
  "flexVolume",
  "configMap",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "storageos",
  "projected",
  "scaleIO",
  "csi",
  "ephemeral",
  "image",
].flatMap((name) => {
  const check = OWN[name] ?? DISKS[name];
  return check ? [[name, check] as const] : [];
});

/**
 * Validates the volumes of a pod; returns the errors, and the valid volumes, which containers can
 * use.
 */
export function checkVolumes(
  field: string,
  volumes: readonly Volume[] = [],
  podName = "",
): { errors: FieldError[]; usable: ReadonlyMap<string, Volume> } {
  const usable = new Map<string, Volume>();
  const made = volumes.flatMap(({ name, ephemeral }) => (ephemeral ? [`${podName}-${name}`] : []));
  const errors = volumes.flatMap((volume, index) => {
    const where = `${field}[${index}]`;
    const wrong = volumeErrors(where, volume, podName);
    if (usable.has(volume.name)) wrong.push(duplicate(`${where}.name`, volume.name));
    if (wrong.length === 0) usable.set(volume.name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName ?? "";
    if (podName !== "" && made.includes(claimName)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      wrong.push(invalidValue(`${where}.persistentVolumeClaim.claimName`, claimName, detail));
    }
    return wrong;
  });
  return { errors, usable };
}

function volumeErrors(where: string, volume: Volume, podName: string): FieldError[] {
  const { name } = volume;
  const errors = volumeSourceErrors(where, volume, SOURCES, { name, persistent: false });
  if (volume.ephemeral && podName !== "" && name !== "") {
    const claim = `${podName}-${name}`;
    for (const detail of dns1123SubdomainErrors(claim)) {
      const text = `PVC name ${JSON.stringify(claim)}: ${detail}`;
      errors.push(invalidValue(`${where}.name`, name, text));
    }
  }
  return name === ""
    ? [...errors, required(`${where}.name`)]
    : [...errors, ...nameErrorsAt(`${where}.name`, name, dns1123LabelErrors)];
}
