/** Missing Secrets, ConfigMaps and claims that a pod refers to, in the kubelet's words. */
import type { SentObject } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { SecretProjection, SecretVolumeSource } from "../../../generated/k8s/core-v1.ts";
import { type Container, containersOf } from "../../builtin/shared/pods/pod-shapes.ts";
import { claimNameOf, isBindComplete } from "../volumes/claims.ts";
import type { ControllerClient } from "../framework/client.ts";
import type { ResourceName } from "../../resource-name.ts";
import { CLAIMS, CONFIG_MAPS, SECRETS } from "../../builtin/tokens.ts";

interface KeyedObject extends SentObject {
  readonly data?: Readonly<Record<string, string | null>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

interface Kind {
  readonly resource: ResourceName<KeyedObject>;
  readonly word: "Secret" | "ConfigMap";
}

const SECRET: Kind = { resource: SECRETS, word: "Secret" };
const CONFIG_MAP: Kind = { resource: CONFIG_MAPS, word: "ConfigMap" };

/** Why volumes of the pod cannot be mounted; empty when all can. */
export function mountProblems(client: ControllerClient, pod: Pod): readonly string[] {
  const { namespace = "" } = pod.metadata;
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const claimName = claimNameOf(pod, volume);
    if (claimName !== undefined) {
      const problem = claimProblem(client, namespace, claimName);
      return problem === undefined
        ? []
        : `Unable to attach or mount volumes: unmounted volumes=[${volume.name}], unattached volumes=[], failed to process volumes=[${volume.name}]: error processing PVC ${namespace}/${claimName}: ${problem}`;
    }
    const found = [volume, ...(volume.projected?.sources ?? [])]
      .flatMap(({ secret, configMap }) => [
        keyedProblem(client, namespace, SECRET, secret),
        keyedProblem(client, namespace, CONFIG_MAP, configMap),
      ])
      .filter((problem) => problem !== undefined);
    if (found.length === 0) return [];
    const text = found.length === 1 ? found.join("") : `[${found.join(", ")}]`;
    return `MountVolume.SetUp failed for volume "${volume.name}" : ${text}`;
  });
}

/** All that the pod's volumes and environments lack, as one text. */
export function missingReferences(client: ControllerClient, pod: Pod): string {
  const environments = containersOf(pod.spec).map((container) =>
    environmentProblem(client, pod, container),
  );
  return JSON.stringify([mountProblems(client, pod), environments]);
}

function claimProblem(
  client: ControllerClient,
  namespace: string,
  name: string,
): string | undefined {
  const claim = client.find(CLAIMS, { namespace, name });
  if (!claim) {
    return `failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`;
  }
  const isBound = claim.spec.volumeName !== undefined && isBindComplete(claim);
  return isBound ? undefined : "PVC is not bound";
}

function keyedProblem(
  client: ControllerClient,
  namespace: string,
  { resource, word }: Kind,
  source: (SecretVolumeSource & SecretProjection) | undefined,
): string | undefined {
  if (!source || source.optional === true) return undefined;
  const name = source.secretName ?? source.name ?? "";
  const object = client.find(resource, { namespace, name });
  if (!object) return notFound(word, name);
  const { data = {}, binaryData = {} } = object;
  const missing = (source.items ?? []).find(
    ({ key }) => !Object.hasOwn(data, key) && !Object.hasOwn(binaryData, key),
  );
  if (!missing) return undefined;
  return word === "Secret"
    ? `references non-existent secret key: ${missing.key}`
    : `configmap references non-existent config key: ${missing.key}`;
}

const notFound = (word: string, name: string): string =>
  `${word.toLowerCase()} "${name}" not found`;

/** Why the environment of a container cannot be built; `undefined` when it can. */
export function environmentProblem(
  client: ControllerClient,
  { metadata: { namespace = "" } }: Pod,
  { env = [], envFrom = [] }: Container,
): string | undefined {
  const problem = (
    { resource, word }: Kind,
    ref: { name?: string; optional?: boolean; key?: string } | undefined,
  ): string | undefined => {
    if (!ref || ref.optional === true) return undefined;
    const { name = "", key } = ref;
    const object = client.find(resource, { namespace, name });
    if (!object) return notFound(word, name);
    if (key === undefined || Object.hasOwn(object.data ?? {}, key)) return undefined;
    return `couldn't find key ${key} in ${word} ${namespace}/${name}`;
  };
  const references = [
    ...envFrom.map(({ configMapRef, secretRef }) => [configMapRef, secretRef] as const),
    ...env.map(({ valueFrom }) => [valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef] as const),
  ];
  for (const [configMap, secret] of references) {
    const found = problem(CONFIG_MAP, configMap) ?? problem(SECRET, secret);
    if (found !== undefined) return found;
  }
  return undefined;
}
