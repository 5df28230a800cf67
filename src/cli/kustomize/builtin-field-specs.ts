/**
 * The fields that kustomize's transformers change when a kustomization configures nothing: its default transformer
 * configuration.
 *
 * @see https://github.com/kubernetes-sigs/kustomize/tree/master/examples/transformerconfigs
 */
import type { FieldSpec } from "./field-specs.ts";
import type { NameReferences, TransformerConfiguration } from "./transformer-configuration.ts";
import { tableOf } from "../../table.ts";

/** Field specs for `kind`, `group/kind` or `group/version/kind`; `-` stands for every kind. */
function fields(lines: string, create?: boolean): FieldSpec[] {
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [path = "", ...kinds] = line.trim().split(/ +/);
      const made = create === undefined ? {} : { create };
      return kinds.map((kind) => ({ path, ...kindOf(kind), ...made }));
    });
}

function kindOf(text: string): Partial<FieldSpec> {
  if (text === "-") return {};
  const parts = text.split(":");
  const kind = parts.pop() ?? "";
  const [group = "", version = ""] = parts;
  return {
    kind,
    ...(group === "" ? {} : { group }),
    ...(version === "" ? {} : { version }),
  };
}

const METADATA_LABELS = [
  ...fields(
    `metadata/labels -
    spec/template/metadata/labels :v1:ReplicationController Deployment ReplicaSet DaemonSet apps:StatefulSet batch:Job
    spec/volumeClaimTemplates[]/metadata/labels apps:StatefulSet
    spec/jobTemplate/metadata/labels batch:CronJob
    spec/jobTemplate/spec/template/metadata/labels batch:CronJob`,
    true,
  ),
];

const AFFINITIES = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
  `spec/template/spec/affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `spec/template/spec/affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);

const COMMON_LABELS = [
  ...fields(
    `spec/selector :v1:Service :v1:ReplicationController
    spec/selector/matchLabels Deployment ReplicaSet DaemonSet apps:StatefulSet`,
    true,
  ),
  ...fields(
    `${[...AFFINITIES, "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels"]
      .map((path) => `${path} apps:Deployment apps:StatefulSet`)
      .join("\n")}
    spec/selector/matchLabels batch:Job policy:PodDisruptionBudget
    spec/jobTemplate/spec/selector/matchLabels batch:CronJob
    spec/podSelector/matchLabels networking.k8s.io:NetworkPolicy
    spec/ingress/from/podSelector/matchLabels networking.k8s.io:NetworkPolicy
    spec/egress/to/podSelector/matchLabels networking.k8s.io:NetworkPolicy`,
    false,
  ),
  ...METADATA_LABELS,
];

const COMMON_ANNOTATIONS = fields(
  `metadata/annotations -
  spec/template/metadata/annotations :v1:ReplicationController Deployment ReplicaSet DaemonSet StatefulSet batch:Job
  spec/jobTemplate/metadata/annotations batch:CronJob
  spec/jobTemplate/spec/template/metadata/annotations batch:CronJob`,
  true,
);

const TEMPLATES = tableOf<string>({
  ":v1:Pod": "spec",
  Pod: "spec",
  PodTemplate: "template/spec",
  Deployment: "spec/template/spec",
  ReplicaSet: "spec/template/spec",
  DaemonSet: "spec/template/spec",
  StatefulSet: "spec/template/spec",
  ReplicationController: "spec/template/spec",
  Job: "spec/template/spec",
  CronJob: "spec/jobTemplate/spec/template/spec",
});

/** The paths below the pod templates of the kinds. */
function inPods(paths: string, kinds: string): FieldSpec[] {
  return kinds.split(" ").flatMap((kind) =>
    paths
      .trim()
      .split(/\s+/)
      .flatMap((path) => fields(`${TEMPLATES.get(kind) ?? ""}/${path} ${kind}`)),
  );
}

const WITH_CONTENT = ":v1:Pod PodTemplate Deployment ReplicaSet DaemonSet StatefulSet Job CronJob";
const WITH_ACCOUNT = "Pod StatefulSet Deployment ReplicationController CronJob Job DaemonSet";

const contentPaths = (kind: string): string =>
  ["containers", "initContainers"]
    .flatMap((list) => [
      `${list}/env/valueFrom/${kind}KeyRef/name`,
      `${list}/envFrom/${kind}Ref/name`,
    ])
    .join(" ");

const references = (
  to: Omit<NameReferences, "referrers">,
  ...referrers: readonly FieldSpec[][]
): NameReferences => ({ ...to, referrers: referrers.flat() });

const INGRESS_ANNOTATION = "metadata/annotations/nginx.ingress.kubernetes.io\\/";
const RBAC = "rbac.authorization.k8s.io";
const ADMISSION = "admissionregistration.k8s.io";

const NAME_REFERENCES: readonly NameReferences[] = [
  ...["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map((kind) =>
    references({ kind }, fields("spec/scaleTargetRef/name HorizontalPodAutoscaler")),
  ),
  references(
    { kind: "ConfigMap", version: "v1" },
    inPods(
      `volumes/configMap/name volumes/projected/sources/configMap/name ${contentPaths("configMap")}`,
      WITH_CONTENT,
    ),
    fields(`spec/configSource/configMap Node
      rules/resourceNames Role ClusterRole
      ${INGRESS_ANNOTATION}fastcgi-params-configmap Ingress`),
  ),
  references(
    { kind: "Secret", version: "v1" },
    inPods(
      `volumes/secret/secretName volumes/projected/sources/secret/name imagePullSecrets/name ${contentPaths("secret")}`,
      WITH_CONTENT,
    ),
    fields(`spec/tls/secretName Ingress
      metadata/annotations/ingress.kubernetes.io\\/auth-secret Ingress
      ${INGRESS_ANNOTATION}auth-secret Ingress
      ${INGRESS_ANNOTATION}auth-tls-secret Ingress
      imagePullSecrets/name ServiceAccount
      parameters/secretName StorageClass
      parameters/adminSecretName StorageClass
      parameters/userSecretName StorageClass
      parameters/secretRef StorageClass
      rules/resourceNames Role ClusterRole
      spec/template/spec/containers/env/valueFrom/secretKeyRef/name serving.knative.dev:v1:Service
      spec/azureFile/secretName PersistentVolume`),
  ),
  references(
    { kind: "Service", version: "v1" },
    fields(`spec/serviceName apps:StatefulSet
      spec/rules/http/paths/backend/serviceName Ingress
      spec/backend/serviceName Ingress
      spec/rules/http/paths/backend/service/name Ingress
      spec/defaultBackend/service/name Ingress
      spec/service/name apiregistration.k8s.io:APIService
      webhooks/clientConfig/service ${ADMISSION}:ValidatingWebhookConfiguration ${ADMISSION}:MutatingWebhookConfiguration`),
  ),
  references({ kind: "Role", group: RBAC }, fields(`roleRef/name ${RBAC}:RoleBinding`)),
  references(
    { kind: "ClusterRole", group: RBAC },
    fields(`roleRef/name ${RBAC}:RoleBinding ${RBAC}:ClusterRoleBinding`),
  ),
  references(
    { kind: "ServiceAccount", version: "v1" },
    fields(`subjects ${RBAC}:RoleBinding ${RBAC}:ClusterRoleBinding`),
    inPods("serviceAccountName", WITH_ACCOUNT),
  ),
  references(
    { kind: "PersistentVolumeClaim", version: "v1" },
    inPods("volumes/persistentVolumeClaim/claimName", WITH_ACCOUNT),
  ),
  references(
    { kind: "PersistentVolume", version: "v1" },
    fields(`spec/volumeName PersistentVolumeClaim
      rules/resourceNames ClusterRole`),
  ),
  references(
    { kind: "StorageClass", version: "v1", group: "storage.k8s.io" },
    fields(`spec/storageClassName PersistentVolume PersistentVolumeClaim
      spec/volumeClaimTemplates/spec/storageClassName StatefulSet`),
  ),
  references(
    { kind: "PriorityClass", version: "v1", group: "scheduling.k8s.io" },
    inPods("priorityClassName", WITH_ACCOUNT),
  ),
  references(
    { kind: "ValidatingAdmissionPolicy", group: ADMISSION },
    fields(`spec/policyName ${ADMISSION}:ValidatingAdmissionPolicyBinding`),
  ),
];

const WITH_VARIABLES = "CronJob DaemonSet Deployment Job Pod ReplicaSet StatefulSet";
const variablePaths = ["containers", "initContainers"]
  .flatMap((list) =>
    ["args", "command", "env/value", "volumeMounts/mountPath"].map((path) => `${list}/${path}`),
  )
  .join(" ");

const VARIABLE_REFERENCES = [
  ...inPods(variablePaths, WITH_VARIABLES),
  ...inPods("volumes/nfs/server", "DaemonSet Deployment Job Pod ReplicaSet StatefulSet"),
  ...fields(`spec/jobTemplate/spec/template/volumes/nfs/server CronJob
    spec/template/metadata/annotations Deployment
    spec/rules/host Ingress
    spec/tls/hosts Ingress
    spec/tls/secretName Ingress
    spec/ports/port Service
    spec/ports/targetPort Service
    spec/volumeClaimTemplates/spec/nfs/server StatefulSet
    spec/nfs/server PersistentVolume
    metadata/labels -
    metadata/annotations -`),
];

const IN_POD = ["containers[]/image", "initContainers[]/image", "volumes[]/image/reference"];

/** The configuration of a kustomization without `configurations`. */
export const DEFAULT_CONFIGURATION: TransformerConfiguration = {
  namePrefix: fields("metadata/name -"),
  nameSuffix: fields("metadata/name -"),
  namespace: [
    ...fields(
      `metadata/name Namespace
      spec/service/namespace apiregistration.k8s.io:APIService`,
      true,
    ),
    ...fields(
      "spec/conversion/webhook/clientConfig/service/namespace apiextensions.k8s.io:CustomResourceDefinition",
    ),
  ],
  commonLabels: COMMON_LABELS,
  labels: [],
  templateLabels: METADATA_LABELS,
  commonAnnotations: COMMON_ANNOTATIONS,
  nameReference: NAME_REFERENCES,
  varReference: VARIABLE_REFERENCES,
  images: ["spec", "spec/template/spec"].flatMap((prefix) =>
    IN_POD.map((path) => ({ path: `${prefix}/${path}`, create: true })),
  ),
  replicas: fields("spec/replicas Deployment ReplicationController ReplicaSet StatefulSet", true),
};
