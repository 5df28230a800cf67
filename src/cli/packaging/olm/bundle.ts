/**
 * An OLM bundle of the objects that `config/default` renders.
 *
 * @see https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/
 */
import { TsopError } from "../../../errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import { toYaml } from "../../../kube/text/yaml.ts";
import { isCrd } from "../../project/crd.ts";
import type { PackageFacts } from "../../project/package-facts.ts";
import { fileNames } from "../file-names.ts";
import {
  findOperatorDeployment,
  isDeployment,
  type OperatorDeployment,
} from "../../project/operator-deployment.ts";
import { annotationsYaml, bundleDockerfile, scorecardYaml } from "./bundle-texts.ts";
import {
  clusterServiceVersion,
  type InstallMode,
  type VersionSettings,
} from "./cluster-service-version.ts";
import { withOlmCertificate, withTargetNamespaces } from "./olm-deployment.ts";
import { operatorRights, type OperatorRights } from "./operator-rights.ts";
import { isConverted, type WebhookDefinitions, webhookDefinitions } from "./webhook-definitions.ts";

export interface BundleSource {
  readonly projectName: string;
  readonly version: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly facts: PackageFacts;
  /** The user's own part of the ClusterServiceVersion. */
  readonly base: JsonObject | undefined;
  readonly settings: VersionSettings;
  readonly objects: readonly ManifestObject[];
  readonly samples: readonly ManifestObject[];
  /** The tsop that writes it. */
  readonly builder: string;
  /** The bundle's folder, relative to the project. */
  readonly folder: string;
}

/** Kinds that OLM installs beside those that the ClusterServiceVersion holds. */
const INSTALLED_KINDS = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "ConsoleQuickStart",
  "ConsoleYAMLSample",
  "CustomResourceDefinition",
  "NetworkPolicy",
  "PodDisruptionBudget",
  "PodMonitor",
  "PriorityClass",
  "PrometheusRule",
  "Role",
  "RoleBinding",
  "Secret",
  "Service",
  "ServiceAccount",
  "ServiceMonitor",
  "VerticalPodAutoscaler",
]);

/** The files of a bundle, by their path in its folder. @throws TsopError for what OLM cannot install */
export function bundleFiles(source: BundleSource): Map<string, string> {
  const { projectName, objects, folder } = source;
  const operator = findOperatorDeployment(objects, projectName);
  if (!operator) {
    throw new TsopError(
      "bundle-no-deployment",
      "config/default renders no Deployment, which a bundle of the operator needs.",
      "List ../manager under `resources` in config/default/kustomization.yaml.",
    );
  }
  // Its image comes first among those of the bundle.
  const rendered = [...new Set([operator, ...objects.filter(isDeployment)])];
  const { namespace } = operator.metadata;
  const webhooks = webhookDefinitions(objects, rendered);
  const { deployments, secrets, modes } = deploymentsFor(rendered, webhooks, objects);
  const accounts = new Set([
    ...objects.filter(({ kind }) => kind === "ServiceAccount").map(({ metadata }) => metadata.name),
    ...deployments.map(({ spec }) => spec.template.spec?.serviceAccountName ?? "default"),
  ]);
  const isNeedless = ({ metadata }: ManifestObject): boolean =>
    webhooks.answering.size > 0 && metadata.name.endsWith("webhook-certificate-role");
  const rights = operatorRights(objects, { namespace, accounts, isNeedless });
  const version = clusterServiceVersion({
    ...source,
    installModes: modes,
    deployments,
    rights,
    webhooks: webhooks.definitions,
    crds: objects.filter(isCrd),
    namespace,
  });
  const labels = { ...source, package: projectName };
  const files = new Map([
    [`manifests/${projectName}.clusterserviceversion.yaml`, toYaml(version)],
    ["metadata/annotations.yaml", annotationsYaml(labels)],
    ["tests/scorecard/config.yaml", scorecardYaml({ namesResources: namesResources(version) })],
  ]);
  const taken = (object: ManifestObject): boolean =>
    object.kind === "Namespace" ||
    isDeployment(object) ||
    webhooks.held.has(object) ||
    rights.held.has(object) ||
    isMadeByOlm(object, rights) ||
    isOfCertificate(object, secrets, objects);
  const installed = objects.filter((object) => !taken(object));
  const names = fileNames(installed, fileOf);
  for (const object of installed) {
    checkInstalled(object, namespace);
    files.set(`manifests/${names.get(object) ?? ""}`, toYaml(forBundle(object)));
  }
  // It copies from the project's folder, and stands beside the bundle's.
  const name = folder.split("/").at(-1) ?? folder;
  return files.set(`../${name}.Dockerfile`, bundleDockerfile(labels, folder));
}

/** The Deployments as OLM runs them, the Secrets that they mount no more, and how they may be installed. */
function deploymentsFor(
  rendered: readonly OperatorDeployment[],
  { answering }: WebhookDefinitions,
  objects: readonly ManifestObject[],
): {
  readonly deployments: readonly OperatorDeployment[];
  readonly secrets: ReadonlySet<string>;
  readonly modes: ReadonlySet<InstallMode>;
} {
  const secrets = new Set<string>();
  const certified = rendered.map((one) => {
    if (!answering.has(one)) return one;
    const { deployment, secrets: gone } = withOlmCertificate(one);
    for (const secret of gone) secrets.add(secret);
    return deployment;
  });
  const scoped = certified.map((one) => withTargetNamespaces(one));
  if (scoped.every((one) => one === undefined)) {
    return { deployments: certified, secrets, modes: new Set(["AllNamespaces"]) };
  }
  const converted = objects.find(isConverted);
  if (converted) {
    throw new TsopError(
      "bundle-install-mode",
      `The operator watches its own namespace, and OLM converts ${converted.metadata.name} only for operators that watch all namespaces.`,
      "Install the operator with `tsop chart` or `tsop deploy`, or let it watch all namespaces.",
    );
  }
  const deployments = certified.map((one, index) => scoped[index] ?? one);
  const modes = new Set<InstallMode>(["OwnNamespace", "SingleNamespace", "MultiNamespace"]);
  return { deployments, secrets, modes };
}

/** Whether OLM makes the object: an account that the ClusterServiceVersion grants rights to. */
const isMadeByOlm = (
  { kind, metadata }: ManifestObject,
  { clusterPermissions, permissions }: OperatorRights,
): boolean =>
  kind === "ServiceAccount" &&
  [...clusterPermissions, ...permissions].some(
    ({ serviceAccountName }) => serviceAccountName === metadata.name,
  );

interface Certificate extends ManifestObject {
  readonly spec?: { readonly secretName?: string; readonly issuerRef?: { readonly name?: string } };
}

/** Whether the object is cert-manager's for a Secret that OLM's certificate replaces. */
function isOfCertificate(
  object: ManifestObject,
  secrets: ReadonlySet<string>,
  objects: readonly ManifestObject[],
): boolean {
  if (!object.apiVersion.startsWith("cert-manager.io/")) return false;
  const isReplaced = ({ spec }: Certificate): boolean => secrets.has(spec?.secretName ?? "");
  if (object.kind === "Certificate") return isReplaced(object);
  const users = objects.filter(
    (one): one is Certificate =>
      one.kind === "Certificate" &&
      (one as Certificate).spec?.issuerRef?.name === object.metadata.name,
  );
  return users.length > 0 && users.every(isReplaced);
}

function checkInstalled({ kind, metadata }: ManifestObject, namespace: string | undefined): void {
  if (!INSTALLED_KINDS.has(kind)) {
    throw new TsopError(
      "bundle-kind",
      `A bundle cannot hold the ${kind} ${metadata.name}: OLM does not install this kind.`,
      "Take it out of config/default, or install the operator with `tsop chart` or `tsop deploy`.",
    );
  }
  if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
    throw new TsopError(
      "bundle-namespace",
      `A bundle cannot hold the ${kind} ${metadata.name} of the namespace ${metadata.namespace}: OLM installs all objects in the operator's namespace.`,
      "Take it out of config/default, or install the operator with `tsop chart` or `tsop deploy`.",
    );
  }
}

/** The object in the namespace that OLM chooses, without what asks cert-manager for a certificate. */
function forBundle(object: ManifestObject): ManifestObject {
  const copy = copyJson(object);
  const { metadata } = copy;
  delete metadata.namespace;
  if (metadata.annotations) {
    delete metadata.annotations["cert-manager.io/inject-ca-from"];
    if (Object.keys(metadata.annotations).length === 0) delete metadata.annotations;
  }
  return copy;
}

/** The file's name as operator-sdk writes it, without `.yaml`. */
function fileOf({ apiVersion, kind, metadata }: ManifestObject): string {
  const { name } = metadata;
  if (kind === "CustomResourceDefinition") {
    const [plural = "", ...group] = name.split(".");
    return `${group.join(".")}_${plural}`;
  }
  return `${name}_${apiVersion.replace("/", "_")}_${kind.toLowerCase()}`;
}

function namesResources(version: JsonObject): boolean {
  const { spec } = version as {
    readonly spec: {
      readonly customresourcedefinitions: { readonly owned: readonly JsonObject[] };
    };
  };
  return spec.customresourcedefinitions.owned.every(({ resources }) => Array.isArray(resources));
}
