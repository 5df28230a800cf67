/**
 * Defaults of pods and pod templates.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
import { isJsonObject } from "../../../../kube/json.ts";
import { at } from "../../at.ts";
import {
  type Container,
  type FieldRef,
  type Handler,
  type PodSpec,
  type PodTemplate,
  type Volume,
  allContainersOf,
  containersOf,
} from "./pod-shapes.ts";

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
  for (const container of allContainersOf(spec)) setContainerDefaults(container);
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

/** The fields of disabled features, by their paths in a container; lists are not steps. */
const OF_CONTAINERS = [
  "volumeMounts.bindMountOptions",
  ...PROBES.flatMap((probe) => [`${probe}.httpGet.protocol`, `${probe}.grpc.mode`]),
];

/** The same of the spec of a pod. */
const DISABLED = [
  "schedulingGroup",
  "evictionResponders",
  ...OF_CONTAINERS.flatMap((path) => [`containers.${path}`, `initContainers.${path}`]),
  "volumes.emptyDir.mode",
  "volumes.projected.defaultUser",
  ...["secret", "configMap", "downwardAPI"].flatMap((source) => [
    `volumes.${source}.defaultUser`,
    `volumes.${source}.items.user`,
    `volumes.projected.sources.${source}.items.user`,
  ]),
  ...["serviceAccountToken", "clusterTrustBundle", "podCertificate"].map(
    (source) => `volumes.projected.sources.${source}.user`,
  ),
].map((path) => path.split("."));

/** Drops the fields of disabled features from a pod or a pod template. */
export function dropFromTemplate(template: { spec: PodSpec } | undefined): void {
  if (!template) return;
  const { spec } = template;
  for (const path of DISABLED) dropField(spec, path);
  for (const container of containersOf(spec)) {
    const { lifecycle } = container;
    if (lifecycle?.stopSignal === undefined) continue;
    delete lifecycle.stopSignal;
    if (!lifecycle.postStart && !lifecycle.preStop) delete container.lifecycle;
  }
}

function dropField(value: unknown, path: readonly string[], depth = 0): void {
  const step = path[depth] ?? "";
  if (Array.isArray(value)) for (const item of value) dropField(item, path, depth);
  else if (!isJsonObject(value)) return;
  else if (depth < path.length - 1) dropField(value[step], path, depth + 1);
  else delete value[step];
}

function setContainerDefaults(container: Container): void {
  container.imagePullPolicy ??= pullPolicyOf(container.image ?? "");
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    setFieldRefDefaults(valueFrom?.fieldRef);
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  for (const part of PROBES) {
    const { [part]: probe } = container;
    if (!probe) continue;
    probe.timeoutSeconds ??= 1;
    probe.periodSeconds ??= 10;
    probe.successThreshold ??= 1;
    probe.failureThreshold ??= 3;
    setHandlerDefaults(probe);
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

function setFieldRefDefaults(reference: FieldRef | undefined): void {
  if (reference) reference.apiVersion ??= "v1";
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
  for (const { fieldRef } of volume.downwardAPI?.items ?? []) setFieldRefDefaults(fieldRef);
  if (volume.projected) {
    volume.projected.defaultMode ??= FILE_MODE;
    for (const { serviceAccountToken: token, downwardAPI } of volume.projected.sources ?? []) {
      if (token) token.expirationSeconds ??= 3600;
      for (const { fieldRef } of downwardAPI?.items ?? []) setFieldRefDefaults(fieldRef);
    }
  }
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim) claim.spec.volumeMode ??= "Filesystem";
  if (volume.image) volume.image.pullPolicy ??= pullPolicyOf(volume.image.reference ?? "");
}

/** The volume sources with defaults that PersistentVolumes have too. */
const SOURCE_DEFAULTS = {
  hostPath: { type: "" },
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  azureDisk: { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

/** Sets the defaults of the volume sources that pods and PersistentVolumes share. */
export function setVolumeSourceDefaults(volume: object): void {
  for (const [name, defaults] of Object.entries(SOURCE_DEFAULTS)) {
    const source = at(volume, name);
    if (!isJsonObject(source)) continue;
    for (const [field, value] of Object.entries(defaults)) source[field] ??= value;
  }
}
