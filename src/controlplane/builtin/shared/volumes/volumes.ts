import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { checkLocalPath } from "../checks.ts";
import type { Volume } from "../pods/pod-shapes.ts";
import { checkClaimSpec } from "./claim-spec.ts";
import { DISKS, type SourceChecks, checkInlineCsi, checkSources } from "./disk-sources.ts";
import { checkDownward, checkKeyFiles, checkProjected } from "./file-sources.ts";
import { checkTemplateMetadata } from "../template-metadata.ts";

const SOURCES: SourceChecks<Volume> = {
  emptyDir: (emptyDir) => {
    const limit = emptyDir.at("sizeLimit");
    if (parseQuantity(limit.value ?? "0").nanos < 0n) {
      limit.forbidden("SizeLimit field must be a valid resource quantity");
    }
  },
  hostPath: DISKS.hostPath,
  gitRepo: (repository) => {
    repository.at("repository").given();
    checkLocalPath(repository.child("directory", repository.value.directory ?? ""));
  },
  gcePersistentDisk: DISKS.gcePersistentDisk,
  awsElasticBlockStore: DISKS.awsElasticBlockStore,
  secret: (secret) => {
    secret.at("secretName").given();
    checkKeyFiles(secret);
  },
  nfs: DISKS.nfs,
  iscsi: DISKS.iscsi,
  glusterfs: DISKS.glusterfs,
  flocker: DISKS.flocker,
  persistentVolumeClaim: (claim) => claim.at("claimName").given(),
  rbd: DISKS.rbd,
  cinder: DISKS.cinder,
  cephfs: DISKS.cephfs,
  quobyte: DISKS.quobyte,
  downwardAPI: checkDownward,
  fc: DISKS.fc,
  flexVolume: DISKS.flexVolume,
  configMap: (configMap) => {
    configMap.at("name").given();
    checkKeyFiles(configMap);
  },
  azureFile: DISKS.azureFile,
  vsphereVolume: DISKS.vsphereVolume,
  photonPersistentDisk: DISKS.photonPersistentDisk,
  portworxVolume: DISKS.portworxVolume,
  azureDisk: DISKS.azureDisk,
  storageos: DISKS.storageos,
  projected: checkProjected,
  scaleIO: DISKS.scaleIO,
  csi: checkInlineCsi,
  ephemeral: (ephemeral) => {
    const template = ephemeral.at("volumeClaimTemplate");
    if (!template.value) {
      template.required();
      return;
    }
    checkTemplateMetadata(template.child("metadata", template.value.metadata ?? {}));
    checkClaimSpec(template.child("spec", template.value.spec));
  },
  image: (image) => {
    image.at("reference").given();
    if (image.value.pullPolicy) image.at("pullPolicy").oneOf(["Always", "IfNotPresent", "Never"]);
  },
};

/** Validates the volumes of a pod; returns the valid ones, which containers can use. */
export function checkVolumes(
  volumes: Check<Volume[] | undefined>,
  podName = "",
): ReadonlyMap<string, Volume> {
  const usable = new Map<string, Volume>();
  const made = (volumes.value ?? []).flatMap(({ name, ephemeral }) =>
    ephemeral ? [`${podName}-${name}`] : [],
  );
  volumes.each((volume) => {
    const name = volume.at("name");
    const isValid = volume.passes(() => {
      checkVolume(volume, podName);
      if (usable.has(name.value)) name.duplicate();
    });
    if (isValid) usable.set(name.value, volume.value);
    const claimName = volume.at("persistentVolumeClaim", "claimName");
    if (podName !== "" && made.includes(claimName.value ?? "")) {
      claimName.invalid("must not reference a PVC that gets created for an ephemeral volume");
    }
  });
  return usable;
}

function checkVolume(volume: Check<Volume>, podName: string): void {
  const name = volume.at("name");
  checkSources(volume, SOURCES, { name, persistent: false });
  if (volume.value.ephemeral && podName !== "" && name.value !== "") {
    const claim = `${podName}-${name.value}`;
    for (const detail of dns1123SubdomainErrors(claim)) {
      name.invalid(`PVC name ${JSON.stringify(claim)}: ${detail}`);
    }
  }
  name.givenName(dns1123LabelErrors);
}
