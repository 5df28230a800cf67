/** A Helm chart of the objects that `config/default` renders. */
import { isDeepStrictEqual } from "node:util";
import { TsopError } from "../../../errors.ts";
import { asJson } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import { splitImage } from "../../../kube/text/image-name.ts";
import { toYaml } from "../../../kube/text/yaml.ts";
import { present } from "../../../present.ts";
import { fileNames } from "../file-names.ts";
import {
  findOperatorDeployment,
  type OperatorDeployment,
} from "../../project/operator-deployment.ts";
import { annotationsWith, crdAnnotations } from "./annotations.ts";
import { helpers, notes } from "./chart-texts.ts";
import { type ContainerValues, workloadTemplate } from "./container-template.ts";
import { goString, valueAt } from "./nodes.ts";
import { operatorTemplate } from "./operator-template.ts";
import { printTemplate } from "./print-template.ts";
import { ReleaseScope } from "./release-scope.ts";
import { type ChartValues, valuesSchema, valuesText } from "./values.ts";

export interface ChartSource {
  readonly projectName: string;
  /** The version of the chart and, unless an image says another one, of the operator. */
  readonly version: string;
  readonly description: string;
  /** The operator's image; without it, that of `config/default`. */
  readonly image: string | undefined;
  readonly objects: readonly ManifestObject[];
}

/** The image that the scaffold's Deployment names until one is given. */
const PLACEHOLDER = "controller";

/** The files of the chart, by their path in it. @throws TsopError `chart-no-deployment`, `operator-deployment` */
export function chartFiles(source: ChartSource): Map<string, string> {
  const { projectName, version, description, objects } = source;
  const deployment = findOperatorDeployment(objects, projectName);
  if (!deployment) {
    throw new TsopError(
      "chart-no-deployment",
      "config/default renders no Deployment, which a chart of the operator needs.",
      "List ../manager under `resources` in config/default/kustomization.yaml.",
    );
  }
  const scope = new ReleaseScope(objects, deployment, projectName);
  const operator = operatorTemplate(deployment, scope, projectName);
  const image = imageValues(source.image ?? operator.values.image, projectName);
  const workloads: Record<string, Readonly<Record<string, ContainerValues>>> = {};
  const budgets = budgetsOf(objects, deployment);
  const written = [...new Set([...objects, ...budgets])].filter(({ kind }) => kind !== "Namespace");
  const paths = fileNames(
    written,
    (object) =>
      isCrd(object)
        ? object.metadata.name
        : `${object.kind.toLowerCase()}-${shortName(object, projectName)}`,
    (object) => (isCrd(object) ? "crds/" : ""),
  );
  const templates = written.map((object): [string, string] => {
    const name = shortName(object, projectName);
    const context = { scope, chart: projectName, image: operator.values.image };
    const workload =
      object === deployment
        ? { object: operator.object, values: {} }
        : workloadTemplate(object, ["workloads", name], context);
    if (Object.keys(workload.values).length > 0) workloads[name] = workload.values;
    const node = scope.object(withAnnotations(workload.object, scope));
    const condition = conditionOf(object, { scope, chart: projectName, budgets });
    return [`templates/${paths.get(object) ?? ""}`, printTemplate(node, condition)];
  });
  const values: ChartValues = {
    ...operator.values,
    image,
    workloads,
    hasMetrics: objects.some(isOfMetrics),
    hasPolicies: objects.some(({ kind }) => kind === "NetworkPolicy"),
    longestName: scope.longestName,
  };
  return new Map<string, string>([
    ["Chart.yaml", chartYaml(projectName, version, description, image.tag)],
    [".helmignore", ".generated.json\n*.tgz\n.git/\n"],
    ["values.yaml", valuesText(values)],
    ["values.schema.json", valuesSchema(values)],
    ["templates/_helpers.tpl", helpers({ chart: projectName, deployment, scope })],
    ["templates/NOTES.txt", notes({ chart: projectName, deployment, scope, objects })],
    ...templates,
  ]);
}

function imageValues(image: string, projectName: string): ChartValues["image"] {
  const { name, tag, digest } = splitImage(image);
  if (name === "" || name === PLACEHOLDER) return { name: projectName, tag: "", digest: "" };
  return { name, tag, digest };
}

/** The PodDisruptionBudgets of the operator's pods; where config/default has none, the one that its part `ha` would have. */
function budgetsOf(
  objects: readonly ManifestObject[],
  deployment: OperatorDeployment,
): readonly ManifestObject[] {
  const { selector } = deployment.spec;
  const own = objects.filter(
    (object) =>
      object.kind === "PodDisruptionBudget" &&
      isDeepStrictEqual((asJson(object)["spec"] as JsonObject | undefined)?.["selector"], selector),
  );
  if (own.length > 0) return own;
  const { name, namespace, labels } = deployment.metadata;
  const added: ManifestObject & { readonly spec: object } = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, ...present({ namespace, labels }) },
    spec: { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow", selector },
  };
  return [added];
}

const chartYaml = (name: string, version: string, description: string, tag: string): string =>
  `# Generated by \`tsop chart\`. A file that you change is yours and is not written again.
${toYaml({
  apiVersion: "v2",
  name,
  description,
  type: "application",
  version,
  appVersion: tag === "" ? version : tag,
})}`;

const isCrd = ({ kind }: ManifestObject): boolean => kind === "CustomResourceDefinition";

/** The object's name without that of the project. */
const shortName = ({ metadata: { name } }: ManifestObject, projectName: string): string =>
  name.startsWith(`${projectName}-`) ? name.slice(projectName.length + 1) : name;

const RBAC_KINDS = new Set(["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"]);

/** Whether the object is of no use while nothing serves metrics. */
function isOfMetrics({ kind, metadata: { name } }: ManifestObject): boolean {
  if (kind === "ServiceMonitor" || kind === "PrometheusRule") return true;
  return (kind === "Service" || kind === "NetworkPolicy") && name.includes("metrics");
}

/** The value that leaves the object out when it is false. */
function conditionOf(
  object: ManifestObject,
  {
    scope,
    chart,
    budgets,
  }: {
    readonly scope: ReleaseScope;
    readonly chart: string;
    readonly budgets: readonly ManifestObject[];
  },
): string | undefined {
  const { kind, metadata } = object;
  const conditions: string[] = [];
  // With one replica, a budget would keep nodes from being drained.
  if (budgets.includes(object)) {
    conditions.push(".Values.podDisruptionBudget.enabled", "(gt (int .Values.replicaCount) 1)");
  }
  if (isCrd(object)) {
    const owner = `(include ${goString(`${chart}.crdOwner`)} (dict "name" ${goString(metadata.name)} "release" .Release))`;
    conditions.push(".Values.crds.enabled", `(not ${owner})`);
  }
  if (scope.isAccount(object)) conditions.push(".Values.serviceAccount.create");
  if (RBAC_KINDS.has(kind)) {
    const isForUsers = /-(admin|editor|viewer)-role$/.test(metadata.name);
    conditions.push(isForUsers ? ".Values.rbac.userRoles" : ".Values.rbac.create");
  }
  if (isOfMetrics(object)) conditions.push(".Values.metrics.enabled");
  if (kind === "NetworkPolicy") conditions.push(".Values.networkPolicy.enabled");
  if (conditions.length < 2) return conditions[0];
  return `and ${conditions.join(" ")}`;
}

/** The object with the annotations that values add. */
function withAnnotations(object: ManifestObject, scope: ReleaseScope): ManifestObject {
  const { annotations = {} } = object.metadata;
  if (!isCrd(object) && !scope.isAccount(object)) return object;
  const written = isCrd(object)
    ? crdAnnotations(annotations, scope)
    : annotationsWith(annotations, valueAt("serviceAccount", "annotations"), scope);
  return { ...object, metadata: { ...object.metadata, annotations: written as never } };
}
