/** The Deployment of the operator, among all that a project renders. */
import { TsopError } from "../../errors.ts";
import type { Container } from "../../generated/k8s/core-v1.ts";
import type { DeploymentSpec } from "../../generated/k8s/apps-v1.ts";
import { copyJson } from "../../kube/json.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { splitImage } from "../../kube/text/image-name.ts";

export interface OperatorDeployment extends ManifestObject {
  spec: DeploymentSpec;
}

export function isDeployment(object: ManifestObject): object is OperatorDeployment {
  return object.kind === "Deployment" && object.apiVersion === "apps/v1";
}

/** The name of the operator's Deployment in `config/manager`, and its value of the label `control-plane`. */
const CONTROLLER_MANAGER = "controller-manager";
/** The name of its container there. */
const CONTAINER = "manager";

/** What tells the operator's Deployment from others, the surest sign first. */
const SIGNS: readonly ((one: OperatorDeployment, projectName?: string) => boolean)[] = [
  ({ spec }) => labelsOf(spec)["control-plane"] === CONTROLLER_MANAGER,
  ({ spec }, projectName) =>
    labelsOf(spec)["app.kubernetes.io/name"] === projectName && projectName !== undefined,
  ({ metadata }) => metadata.name.endsWith(CONTROLLER_MANAGER),
  ({ spec }) => spec.template.spec?.containers.some(({ name }) => name === CONTAINER) === true,
];

const labelsOf = ({ template }: DeploymentSpec): Readonly<Record<string, string>> =>
  template.metadata?.labels ?? {};

/**
 * The Deployment that runs the operator: the only one, or the one with the scaffold's labels and names.
 *
 * @returns `undefined` without any Deployment
 * @throws TsopError `operator-deployment` if nothing tells which of several it is
 */
export function findOperatorDeployment(
  objects: readonly ManifestObject[],
  projectName?: string,
): OperatorDeployment | undefined {
  const all = objects.filter(isDeployment);
  let candidates: readonly OperatorDeployment[] = all;
  for (const sign of SIGNS) {
    if (candidates.length < 2) break;
    const having = candidates.filter((one) => sign(one, projectName));
    if (having.length > 0) candidates = having;
  }
  if (candidates.length < 2) return candidates[0];
  const names = candidates.map(({ metadata }) => metadata.name).join(", ");
  throw new TsopError(
    "operator-deployment",
    `config/default renders ${candidates.length} Deployments that could be the operator's: ${names}.`,
    "Give the pods of only one of them the label `control-plane: controller-manager`.",
  );
}

/** The objects with that image in the operator's container, and in those of Deployments that run the same image. */
export function withOperatorImage(
  objects: readonly ManifestObject[],
  projectName: string,
  image: string,
): ManifestObject[] {
  const operator = findOperatorDeployment(objects, projectName);
  const former = operator && operatorContainer(operator)?.image;
  const { tag, digest } = splitImage(image);
  const tagged = tag === "" && digest === "" ? `${image}:latest` : image;
  return objects.map((object) => {
    if (!isDeployment(object)) return object;
    const copy = copyJson(object);
    const { containers = [], initContainers = [] } = copy.spec.template.spec ?? {};
    for (const container of [...initContainers, ...containers]) {
      if (container.image === former) container.image = tagged;
    }
    return copy;
  });
}

/** The image that the scaffold's Deployment names, which no registry has. */
export const PLACEHOLDER_IMAGE = "controller";

export const isPlaceholderImage = (image: string): boolean =>
  image === PLACEHOLDER_IMAGE || image === `${PLACEHOLDER_IMAGE}:latest`;

/** The container of the operator in its pods. */
export function operatorContainer({ spec }: OperatorDeployment): Container | undefined {
  const { containers = [] } = spec.template.spec ?? {};
  return containers.find(({ name }) => name === CONTAINER) ?? containers[0];
}
