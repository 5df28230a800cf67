/**
 * The shape of the spec of a pod, and of its parts.
 *
 * Not a full API: fields that no code here uses are left out, and pass through unchanged.
 */
import type { BundleSource, CertificateSource } from "../volumes/certificate-sources.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import type {
  CommonVolumeSources,
  IntOrString,
  LabelSelector,
  PersistentVolumeClaimSpec,
  ResourceList,
  ResourceRequirements,
} from "../shapes.ts";

interface ContainerPort {
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

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldRef;
    resourceFieldRef?: { resource: string; containerName?: string };
    configMapKeyRef?: { name?: string; key: string; optional?: boolean };
    secretKeyRef?: { name?: string; key: string; optional?: boolean };
    fileKeyRef?: { optional?: boolean; key: string };
  };
}

interface VolumeMount {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  subPath?: string;
  subPathExpr?: string;
  mountPropagation?: string;
  recursiveReadOnly?: string;
  bindMountOptions?: string[];
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
  envFrom?: {
    prefix?: string;
    configMapRef?: { name?: string; optional?: boolean };
    secretRef?: { name?: string; optional?: boolean };
  }[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: { name: string; devicePath: string }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string };
  securityContext?: ContainerContext;
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  restartPolicyRules?: {
    action?: string;
    exitCodes?: { operator?: string; values?: number[] };
  }[];
  targetContainerName?: string;
}

export interface DownwardItem {
  path: string;
  user?: number;
  fieldRef?: FieldRef;
  resourceFieldRef?: { resource: string; containerName?: string };
}

interface FileSource {
  defaultMode?: number;
  defaultUser?: number;
  name?: string;
  secretName?: string;
  items?: DownwardItem[];
}

/** Files of a Secret or ConfigMap; `name` is `secretName` in a volume of a Secret. */
export interface KeyedSource {
  defaultMode?: number;
  defaultUser?: number;
  name?: string;
  secretName?: string;
  items?: { key: string; path: string; user?: number }[];
  optional?: boolean;
}

export interface Volume extends CommonVolumeSources {
  name: string;
  emptyDir?: { medium?: string; sizeLimit?: string; mode?: number };
  secret?: KeyedSource;
  configMap?: KeyedSource;
  downwardAPI?: FileSource;
  projected?: {
    defaultMode?: number;
    defaultUser?: number;
    sources?:
      | {
          serviceAccountToken?: {
            path?: string;
            expirationSeconds?: number;
            audience?: string;
            user?: number;
          };
          downwardAPI?: { items?: DownwardItem[] };
          configMap?: KeyedSource;
          secret?: KeyedSource;
          podCertificate?: CertificateSource;
          clusterTrustBundle?: BundleSource;
        }[]
      | null;
  };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: { volumeClaimTemplate?: { metadata?: ObjectMeta; spec: PersistentVolumeClaimSpec } };
  image?: { reference?: string; pullPolicy?: string };
  gcePersistentDisk?: { readOnly?: boolean };
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
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
  resourceClaims?: {
    name: string;
    resourceClaimName?: string;
    resourceClaimTemplateName?: string;
  }[];
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
}

/** The `securityContext` of a container. */
export interface ContainerContext extends CommonContext {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  procMount?: string;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  seLinuxOptions?: object;
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
