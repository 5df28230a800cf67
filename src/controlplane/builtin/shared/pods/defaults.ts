/**
 * Defaults of pods and pod templates.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
import type { DownwardAPIVolumeFile } from "../../../../generated/k8s/core-v1.ts";
import type { CommonVolumeSources } from "../shapes.ts";
import type {
  Container,
  EnvVar,
  FieldRef,
  Handler,
  PodSpec,
  PodTemplate,
  Probe,
  Volume,
} from "./shapes.ts";

/** Sets the defaults of the template of a workload. */
export function setPodTemplateDefaults(template: PodTemplate | undefined): void {
  if (template) setPodSpecDefaults(template.spec);
}

export function setPodSpecDefaults(spec: PodSpec): void {
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account !== undefined) {
    spec.serviceAccountName = account;
    spec.serviceAccount = account;
  }
  for (const volume of spec.volumes ?? []) setVolumeDefaults(volume);
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ]) {
    setContainerDefaults(container);
  }
}

/** Drops the fields of disabled features from a pod or a pod template. */
export function dropFromTemplate(template: { spec: PodSpec } | undefined): void {
  if (template) dropDisabledFields(template.spec);
}

/** Drops the fields of disabled features. */
function dropDisabledFields(spec: PodSpec): void {
  delete spec.schedulingGroup;
  delete spec.evictionResponders;
  for (const volume of spec.volumes ?? []) dropFromVolume(volume);
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { lifecycle, volumeMounts, livenessProbe, readinessProbe, startupProbe } = container;
    for (const mount of volumeMounts ?? []) delete mount.bindMountOptions;
    for (const probe of [livenessProbe, readinessProbe, startupProbe]) {
      delete probe?.httpGet?.protocol;
      delete probe?.grpc?.mode;
    }
    if (lifecycle?.stopSignal === undefined) continue;
    delete lifecycle.stopSignal;
    if (!lifecycle.postStart && !lifecycle.preStop) delete container.lifecycle;
  }
}

function dropFromVolume({ emptyDir, secret, configMap, downwardAPI, projected }: Volume): void {
  delete emptyDir?.mode;
  const sources = projected?.sources ?? [];
  const folders = [secret, configMap, downwardAPI];
  for (const folder of [...folders, projected]) delete folder?.defaultUser;
  for (const source of sources) {
    delete source.serviceAccountToken?.user;
    delete source.clusterTrustBundle?.user;
    delete source.podCertificate?.user;
    folders.push(source.secret, source.configMap, source.downwardAPI);
  }
  for (const folder of folders) for (const item of folder?.items ?? []) delete item.user;
}

function setContainerDefaults(container: Container): void {
  container.imagePullPolicy ??= pullPolicyOf(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const variable of container.env ?? []) setEnvDefaults(variable);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe) setProbeDefaults(probe);
  }
  setHandlerDefaults(container.lifecycle?.postStart);
  setHandlerDefaults(container.lifecycle?.preStop);
}

const REFERENCE =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;

const LONGEST_NAME = 255;

/**
 * The default pull policy: Always for the tag `latest` and for neither tag nor digest, else
 * IfNotPresent, also for an invalid reference.
 */
function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  const [reference = "", digest] = image.split("@");
  const name = reference.replace(/:[^/:]+$/, "");
  if (!REFERENCE.test(image) || name.length > LONGEST_NAME) return "IfNotPresent";
  const tag = /:([^/:]+)$/.exec(reference)?.[1];
  if (tag === undefined) return digest === undefined ? "Always" : "IfNotPresent";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function setEnvDefaults(variable: EnvVar): void {
  setFieldRefDefaults(variable.valueFrom?.fieldRef);
  const file = variable.valueFrom?.fileKeyRef;
  if (file) file.optional ??= false;
}

function setFieldRefDefaults(reference: FieldRef | undefined): void {
  if (reference) reference.apiVersion ??= "v1";
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  setHandlerDefaults(probe);
}

function setHandlerDefaults(handler: Handler | undefined): void {
  if (handler?.httpGet) {
    handler.httpGet.path ??= "/";
    handler.httpGet.scheme ??= "HTTP";
  }
  if (handler?.grpc) handler.grpc.service ??= "";
}

const FILE_MODE = 0o644;

function setVolumeDefaults(volume: Volume): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  setVolumeSourceDefaults(volume);
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI]) {
    if (source) source.defaultMode ??= FILE_MODE;
  }
  setDownwardDefaults(volume.downwardAPI?.items);
  if (volume.projected) {
    volume.projected.defaultMode ??= FILE_MODE;
    for (const source of volume.projected.sources ?? []) {
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
      setDownwardDefaults(source.downwardAPI?.items);
    }
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim) claim.spec.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ??= pullPolicyOf(volume.image.reference ?? "");
}

/** Sets the defaults of the volume sources that pods and PersistentVolumes share. */
export function setVolumeSourceDefaults(volume: CommonVolumeSources): void {
  if (volume.hostPath) volume.hostPath.type ??= "";
  if (volume.iscsi) volume.iscsi.iscsiInterface ??= "default";
  if (volume.rbd) {
    volume.rbd.pool ??= "rbd";
    volume.rbd.user ??= "admin";
    volume.rbd.keyring ??= "/etc/ceph/keyring";
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= "ReadWrite";
    volume.azureDisk.kind ??= "Shared";
    volume.azureDisk.fsType ??= "ext4";
    volume.azureDisk.readOnly ??= false;
  }
  if (volume.scaleIO) {
    volume.scaleIO.storageMode ??= "ThinProvisioned";
    volume.scaleIO.fsType ??= "xfs";
  }
}

function setDownwardDefaults(items: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const item of items ?? []) setFieldRefDefaults(item.fieldRef);
}
