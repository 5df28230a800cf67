/**
 * The shape of the spec of a pod, and of its parts.
 *
 * Not a full API: fields that no code here uses are left out, and pass through unchanged.
 */
import type {
  Volume as BuiltInVolume,
  ConfigMapProjection,
  ConfigMapVolumeSource,
  DownwardAPIProjection,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  SecretProjection,
  SecretVolumeSource,
  ServiceAccountTokenProjection,
} from "../../../../generated/k8s/core-v1.ts";
import type { BundleSource, CertificateSource } from "../volumes/certificate-sources.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import type {
  IntOrString,
  LabelSelector,
  PersistentVolumeClaimSpec,
  ResourceList,
  ResourceRequirements,
} from "../shapes.ts";

export interface ContainerPort {
  name?: string;
  containerPort?: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

interface HttpGet {
  path?: string;
  port?: IntOrString;
  scheme?: string;
  httpHeaders?: { name: string; value: string }[];
  protocol?: string;
}

export interface Handler {
  exec?: { command?: string[] };
  httpGet?: HttpGet;
  tcpSocket?: { port?: IntOrString };
  grpc?: { port?: number; service?: string; mode?: string };
  sleep?: { seconds?: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface FieldRef {
  apiVersion?: string;
  fieldPath: string;
}

export interface ResourceFieldRef {
  resource?: string;
  containerName?: string;
  divisor?: number | string;
}

interface KeyRef {
  name?: string;
  key: string;
  optional?: boolean;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldRef;
    resourceFieldRef?: ResourceFieldRef;
    configMapKeyRef?: KeyRef;
    secretKeyRef?: KeyRef;
    fileKeyRef?: { optional?: boolean; key?: string; volumeName?: string; path?: string };
  };
}

export interface EnvSource {
  prefix?: string;
  configMapRef?: { name?: string; optional?: boolean };
  secretRef?: { name?: string; optional?: boolean };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  subPath?: string;
  subPathExpr?: string;
  mountPropagation?: string;
  recursiveReadOnly?: string;
  bindMountOptions?: string[];
}

export interface ResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

export interface RestartRule {
  action?: string;
  exitCodes?: { operator?: string; values?: number[] };
}

export interface VolumeDevice {
  name: string;
  devicePath: string;
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  restartPolicy?: string;
  resources?: ResourceRequirements;
  ports?: ContainerPort[];
  env?: EnvVar[];
  command?: string[];
  args?: string[];
  envFrom?: EnvSource[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string };
  securityContext?: ContainerContext;
  resizePolicy?: ResizePolicy[];
  restartPolicyRules?: RestartRule[];
  targetContainerName?: string;
}

/** A source of files, with the fields of the disabled feature that gives files to a user. */
type Files<T extends { items?: object[] }> = Omit<T, "items"> & {
  defaultUser?: number;
  items?: (NonNullable<T["items"]>[number] & { user?: number })[];
};

/** One source of a projected volume. */
export interface Projection {
  serviceAccountToken?: ServiceAccountTokenProjection & { user?: number };
  downwardAPI?: Files<DownwardAPIProjection>;
  configMap?: Files<ConfigMapProjection>;
  secret?: Files<SecretProjection>;
  podCertificate?: CertificateSource;
  clusterTrustBundle?: BundleSource;
}

type OwnSource = "emptyDir" | "secret" | "configMap" | "downwardAPI" | "projected" | "ephemeral";

export interface Volume extends Omit<BuiltInVolume, OwnSource> {
  emptyDir?: EmptyDirVolumeSource & { mode?: number };
  secret?: Files<SecretVolumeSource>;
  configMap?: Files<ConfigMapVolumeSource>;
  downwardAPI?: Files<DownwardAPIVolumeSource>;
  projected?: { defaultMode?: number; defaultUser?: number; sources?: Projection[] };
  ephemeral?: { volumeClaimTemplate?: { metadata?: ObjectMeta; spec: PersistentVolumeClaimSpec } };
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodSpec {
  schedulingGroup?: object;
  evictionResponders?: object[];
  volumes?: Volume[];
  initContainers?: Container[];
  containers: Container[] | null;
  ephemeralContainers?: Container[];
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  nodeSelector?: Record<string, string>;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  nodeName?: string;
  hostNetwork?: boolean;
  securityContext?: PodContext;
  imagePullSecrets?: { name?: string }[];
  hostname?: string;
  subdomain?: string;
  affinity?: Affinity;
  schedulerName?: string;
  tolerations?: Toleration[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  readinessGates?: { conditionType: string }[];
  enableServiceLinks?: boolean;
  overhead?: ResourceList;
  runtimeClassName?: string;
  schedulingGates?: { name: string }[];
  topologySpreadConstraints?: SpreadConstraint[];
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  hostAliases?: { ip?: string; hostnames?: string[] }[];
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string }[] };
  os?: { name: string };
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

export interface NodeRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface NodeTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

/** Terms of which a node must satisfy one. */
export interface NodeSelector {
  nodeSelectorTerms?: NodeTerm[] | null;
}

export interface PodTerm {
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
  topologyKey: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodTerm }[];
}

/** The `affinity` of a pod. */
export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

/** One of a pod's `topologySpreadConstraints`. */
export interface SpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
}

export interface SecurityProfile {
  type?: string;
  localhostProfile?: string;
}

export interface WindowsOptions {
  runAsUserName?: string;
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  hostProcess?: boolean;
}

/** The common part of the security contexts of pods and containers. */
interface CommonContext {
  runAsUser?: number;
  runAsGroup?: number;
  seccompProfile?: SecurityProfile;
  appArmorProfile?: SecurityProfile;
  windowsOptions?: WindowsOptions;
  seLinuxOptions?: object;
}

/** The `securityContext` of a container. */
export interface ContainerContext extends CommonContext {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  procMount?: string;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
}

/** The `securityContext` of a pod. */
export interface PodContext extends CommonContext {
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
  sysctls?: { name: string; value: string }[];
}
