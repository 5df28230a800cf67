/** The template of the operator's Deployment, and the defaults of the values that it has in place of fields. */
import { isDeepStrictEqual } from "node:util";
import { asJson, isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import { MANAGED_BY } from "../../../kube/operator-marks.ts";
import { operatorContainer, type OperatorDeployment } from "../../project/operator-deployment.ts";
import {
  type ContainerValues,
  furtherContainerTemplate,
  operatorContainerTemplate,
} from "./container-template.ts";
import { annotationsWith, labelsWith } from "./annotations.ts";
import { Expression, goString, Optional, Spliced, valueAt } from "./nodes.ts";
import type { ReleaseScope } from "./release-scope.ts";

/** Fields of the pod that are values, and what stands for none. */
const POD_FIELDS = {
  imagePullSecrets: [],
  nodeSelector: {},
  tolerations: [],
  affinity: {},
  topologySpreadConstraints: [],
  priorityClassName: "",
} as const;
type PodField = keyof typeof POD_FIELDS;

/** The defaults of the values, as `config/default` has them. */
export interface OperatorValues {
  readonly replicaCount: number;
  readonly args: readonly unknown[];
  /** The variables of the template, which entries of `env` replace. */
  readonly envNames: readonly string[];
  readonly resources: unknown;
  readonly image: string;
  readonly pullPolicy: string;
  readonly podAnnotations: JsonObject;
  readonly podLabels: JsonObject;
  readonly pod: Readonly<Record<PodField, unknown>>;
  /** Labels that select the pods, which no value can replace. */
  readonly fixedLabels: readonly string[];
  /** The further containers of the pods, by name. */
  readonly containers: Readonly<Record<string, ContainerValues>>;
}

/** @param chart - the name of the chart, with which the names of its helpers begin */
export function operatorTemplate(
  deployment: OperatorDeployment,
  scope: ReleaseScope,
  chart: string,
): { readonly object: ManifestObject; readonly values: OperatorValues } {
  const main = operatorContainer(deployment);
  const { replicas = 1, selector, template, ...spec } = deployment.spec;
  const { labels = {}, annotations = {}, ...metadata } = template.metadata ?? {};
  const selected = selector.matchLabels ?? {};
  const ownLabels = divided(
    labels,
    (key, value) => key in selected || key === MANAGED_BY || scope.isIn(value),
  );
  const ownAnnotations = divided(annotations, (_key, value) => scope.isIn(value));
  const pod = podTemplate(deployment, scope, chart);
  return {
    object: {
      ...deployment,
      spec: {
        replicas: new Expression(valueAt("replicaCount")),
        selector,
        ...spec,
        template: {
          metadata: {
            ...metadata,
            labels: labelsWith(scope.labels(ownLabels.fixed), valueAt("podLabels")),
            annotations: annotationsWith(ownAnnotations.fixed, valueAt("podAnnotations"), scope),
          },
          spec: pod.spec,
        },
      },
    } as ManifestObject,
    values: {
      replicaCount: replicas,
      envNames: (main?.env ?? []).map(({ name }) => name),
      resources: main?.resources ?? {},
      image: main?.image ?? "",
      pullPolicy: main?.imagePullPolicy ?? "",
      podAnnotations: ownAnnotations.values,
      podLabels: ownLabels.values,
      fixedLabels: scope.labels(ownLabels.fixed).keys,
      ...pod.values,
    },
  };
}

function podTemplate(
  deployment: OperatorDeployment,
  scope: ReleaseScope,
  chart: string,
): {
  readonly spec: JsonObject;
  readonly values: Pick<OperatorValues, "args" | "pod" | "containers">;
} {
  const main = operatorContainer(deployment);
  const pod = asJson(deployment.spec.template.spec ?? {});
  const containers: Record<string, ContainerValues> = {};
  let args: readonly unknown[] = [];
  const written = (container: JsonObject, isMain: boolean): JsonObject => {
    if (isMain) {
      const templated = operatorContainerTemplate(container, scope, chart);
      args = templated.args;
      return templated.container;
    }
    const name = String(container["name"]);
    const context = { scope, chart, image: main?.image };
    const further = furtherContainerTemplate(container, ["containers", name], context);
    containers[name] = further.values;
    return further.container;
  };
  const spec: JsonObject = { ...pod };
  for (const field of ["initContainers", "containers"]) {
    const list = pod[field];
    if (!Array.isArray(list)) continue;
    spec[field] = list
      .filter(isJsonObject)
      .map((one) => written(one, field === "containers" && one["name"] === main?.name));
  }
  const defaults: Record<PodField, unknown> = { ...POD_FIELDS };
  for (const field of Object.keys(POD_FIELDS) as PodField[]) {
    const path = valueAt(field);
    const value =
      field === "topologySpreadConstraints"
        ? withoutOwnSelector(pod[field], deployment.spec.selector)
        : pod[field];
    const isFixed = scope.isIn(value);
    if (value !== undefined && !isFixed) defaults[field] = value;
    const given =
      field === "topologySpreadConstraints"
        ? new Spliced(`(include ${goString(`${chart}.${field}`)} . | fromYamlArray)`)
        : field === "priorityClassName"
          ? new Expression(path)
          : new Spliced(path);
    spec[field] = new Optional(path, given, isFixed ? scope.value(pod[field]) : undefined);
  }
  return { spec, values: { args, pod: defaults, containers } };
}

/** The constraints without the selector of the operator's pods, which is the default of theirs. */
function withoutOwnSelector(constraints: unknown, selector: unknown): unknown {
  if (!Array.isArray(constraints)) return constraints;
  return constraints.map((one: JsonObject) => {
    const { labelSelector, ...rest } = one;
    return isDeepStrictEqual(labelSelector, selector) ? rest : one;
  });
}

function divided(
  pairs: JsonObject,
  isFixed: (key: string, value: unknown) => boolean,
): { readonly fixed: JsonObject; readonly values: JsonObject } {
  const entries = Object.entries(pairs);
  return {
    fixed: Object.fromEntries(entries.filter(([key, value]) => isFixed(key, value))),
    values: Object.fromEntries(entries.filter(([key, value]) => !isFixed(key, value))),
  };
}
