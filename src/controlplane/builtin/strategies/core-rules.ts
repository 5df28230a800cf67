/**
 * Defaults and preparation of the core kinds that are neither pods nor services.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { SentObject } from "../../../kube/object.ts";
import type { WriteContext } from "../../kinds.ts";
import { asGiven } from "./emptied.ts";
import { setVolumeSourceDefaults } from "./pod-defaults.ts";
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceList,
  Secret,
} from "./shapes.ts";
import { timestampOf } from "./timestamp.ts";
import { classOf, defaultClassOf } from "./storage-class-of.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";

/** Every namespace carries its name as a label. */
export function setNamespaceDefaults(object: SentObject): void {
  const namespace = object as Namespace;
  const { metadata } = namespace;
  if (metadata.name) (metadata.labels ??= {})[NAME_LABEL] = metadata.name;
  (namespace.status ??= {}).phase ??= "Active";
}

export function prepareNamespaceForCreate(object: SentObject): void {
  const namespace = object as Namespace;
  // A generated name was not there yet when defaults were set.
  setNamespaceDefaults(object);
  const finalizers = ((namespace.spec ??= {}).finalizers ??= []);
  if (!finalizers.includes("kubernetes")) finalizers.push("kubernetes");
}

/** Only the finalize subresource changes `spec.finalizers`. */
export function prepareNamespaceForUpdate(object: SentObject, old: SentObject): void {
  (object as Namespace).spec = structuredClone((old as Namespace).spec ?? {});
}

/** `stringData` is written into `data`, in base64. */
export function setSecretDefaults(object: SentObject): void {
  const secret = object as Secret;
  secret.type ??= "Opaque";
  if (!secret.stringData) return;
  const data = (secret.data ??= {});
  for (const [key, value] of Object.entries(secret.stringData)) {
    data[key] = Buffer.from(value, "utf8").toString("base64");
  }
  delete secret.stringData;
}

interface Attachment extends SentObject {
  spec: { source?: { inlineVolumeSpec?: PersistentVolume["spec"] } };
}

export function setPersistentVolumeDefaults(object: SentObject): void {
  const volume = object as PersistentVolume;
  (volume.status ??= {}).phase ??= "Pending";
  volume.spec.persistentVolumeReclaimPolicy ??= "Retain";
  volume.spec.volumeMode ??= "Filesystem";
  setVolumeSourceDefaults(volume.spec);
}

/** A volume that stands in an attachment has the defaults of its source. */
export function setAttachmentDefaults(object: SentObject): void {
  const { source } = (object as Attachment).spec;
  if (source?.inlineVolumeSpec) setVolumeSourceDefaults(source.inlineVolumeSpec);
}

export function preparePersistentVolumeForCreate(object: SentObject, context: WriteContext): void {
  const volume = object as PersistentVolume;
  volume.status = {
    phase: "Pending",
    lastPhaseTransitionTime: timestampOf(context.clock),
  };
  protectInUse(object, "kubernetes.io/pv-protection", context);
}

/** A new phase begins now, unless the writer says when. */
export function preparePersistentVolumeStatus(
  object: SentObject,
  previous: SentObject,
  context: WriteContext,
): void {
  const volume = object as PersistentVolume;
  const status = (volume.status ??= {});
  const { phase, lastPhaseTransitionTime: before } = (previous as PersistentVolume).status ?? {};
  const { lastPhaseTransitionTime: now } = status;
  if (phase === (status.phase ?? "Pending")) {
    if (now === undefined && before !== undefined) status.lastPhaseTransitionTime = before;
  } else if (now === undefined || now === before) {
    status.lastPhaseTransitionTime = timestampOf(context.clock);
  }
}

export function setPersistentVolumeClaimDefaults(object: SentObject): void {
  const claim = object as PersistentVolumeClaim;
  (claim.status ??= {}).phase ??= "Pending";
  claim.spec.volumeMode ??= "Filesystem";
}

/** A source in another namespace is a feature that is off; the old field knows claims and snapshots only. */
function dropDisabledSources(spec: PersistentVolumeClaim["spec"]): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSourceRef?.namespace) delete spec.dataSourceRef;
  if (!dataSource) return;
  const { apiGroup, kind } = dataSource;
  const isKnown = apiGroup
    ? apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot"
    : kind === "PersistentVolumeClaim";
  if (!isKnown) delete spec.dataSource;
}

/** A source that is there already stays as it is. */
export function preparePersistentVolumeClaimForUpdate(
  object: SentObject,
  previous: SentObject,
): void {
  const claim = object as PersistentVolumeClaim;
  const { dataSource, dataSourceRef } = (previous as PersistentVolumeClaim).spec;
  if (!dataSource && !dataSourceRef) dropDisabledSources(claim.spec);
  copyDataSource(claim);
}

/** Of the two ways to name a source the server keeps both. */
function copyDataSource(claim: PersistentVolumeClaim): void {
  const { dataSource, dataSourceRef } = claim.spec;
  if (dataSource && !dataSourceRef) claim.spec.dataSourceRef = { ...dataSource };
  else if (!dataSource && dataSourceRef && dataSourceRef.namespace === undefined) {
    claim.spec.dataSource = { ...dataSourceRef };
  }
}

/** A claim without a class gets the default one; a claim in use is protected by a finalizer. */
export function preparePersistentVolumeClaimForCreate(
  object: SentObject,
  context: WriteContext,
): void {
  const claim = object as PersistentVolumeClaim;
  protectInUse(object, "kubernetes.io/pvc-protection", context);
  dropDisabledSources(claim.spec);
  copyDataSource(claim);
  if (classOf(claim) !== undefined || !context.plugins.isOn("DefaultStorageClass")) return;
  const standard = defaultClassOf(context.list("storage.k8s.io", "storageclasses"));
  if (standard !== undefined) claim.spec.storageClassName = standard;
}

/** A class in use is protected by a finalizer. */
export function prepareVolumeAttributesClassForCreate(
  object: SentObject,
  context: WriteContext,
): void {
  protectInUse(object, "kubernetes.io/vac-protection", context);
}

function protectInUse(object: SentObject, finalizer: string, { plugins }: WriteContext): void {
  if (!plugins.isOn("StorageObjectInUseProtection")) return;
  const finalizers = (object.metadata.finalizers ??= []);
  if (!finalizers.includes(finalizer)) finalizers.push(finalizer);
}

export function setNodeDefaults(object: SentObject): void {
  const { status, spec } = object as Node;
  // The single range is what counts when both are there and differ.
  if (spec?.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  else if (spec?.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  if (status?.capacity && asGiven(status, "allocatable") === null) {
    status.allocatable = { ...status.capacity };
  }
}

/** A new node is tainted until somebody reports it ready. */
export function prepareNodeForCreate(object: SentObject, { plugins }: WriteContext): void {
  const node = object as Node;
  prepareNodeForUpdate(node);
  prepareNodeStatus(node);
  if (!plugins.isOn("TaintNodesByCondition")) return;
  const taints = ((node.spec ??= {}).taints ??= []);
  const key = "node.kubernetes.io/not-ready";
  if (!taints.some((taint) => taint.key === key && taint.effect === "NoSchedule")) {
    taints.push({ key, effect: "NoSchedule" });
  }
}

/** The kubelet's configuration is no longer kept in a node. */
export function prepareNodeForUpdate(object: SentObject): void {
  delete (object as Node).spec?.configSource;
}

export function prepareNodeStatus(object: SentObject): void {
  delete (object as Node).status?.config;
}

interface LimitRange extends SentObject {
  spec?: {
    limits?:
      | {
          type: string;
          max?: ResourceList;
          min?: ResourceList;
          default?: ResourceList;
          defaultRequest?: ResourceList;
        }[]
      | null;
  };
}

/** A LimitRange needs no name: without one it is known by its uid. */
export function nameLimitRange({ metadata }: SentObject): void {
  metadata.name ||= metadata.uid ?? "";
}

/** Of a container's limits, what is left out follows from the others. */
export function setLimitRangeDefaults(object: SentObject): void {
  for (const limit of (object as LimitRange).spec?.limits ?? []) {
    if (limit.type !== "Container") continue;
    const standard = { ...limit.max, ...limit.default };
    const request = { ...limit.min, ...standard, ...limit.defaultRequest };
    if (Object.keys(standard).length > 0) limit.default = standard;
    if (Object.keys(request).length > 0) limit.defaultRequest = request;
  }
}

interface Account extends SentObject {
  secrets?: { name?: string }[];
}

/** Of the secrets of an account only the names are kept. */
export function keepSecretNames(object: SentObject): void {
  const account = object as Account;
  if (account.secrets) {
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  }
}

interface Endpoints extends SentObject {
  subsets?: { ports?: { protocol?: string }[] }[];
}

export function setEndpointsDefaults(object: SentObject): void {
  for (const { ports = [] } of (object as Endpoints).subsets ?? []) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}
