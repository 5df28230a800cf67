/** The claims that pods use. */
import type { SentObject } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Volume } from "../../builtin/shared/pods/shapes.ts";
import type { ControllerClient, ObjectName, StoreEvent } from "../client.ts";
import { PODS } from "../../builtin/tokens.ts";

/**
 * The name of the claim behind a volume of a pod, named in it or created for it; `undefined` for
 * other volumes.
 */
export function claimNameOf(
  { metadata }: Pod,
  { name, persistentVolumeClaim, ephemeral }: Volume,
): string | undefined {
  if (persistentVolumeClaim) return persistentVolumeClaim.claimName;
  return ephemeral ? `${metadata.name ?? ""}-${name}` : undefined;
}

/** The names of the claims that a pod uses. */
const claimsOf = (pod: Pod): string[] =>
  (pod.spec.volumes ?? [])
    .map((volume) => claimNameOf(pod, volume))
    .filter((name) => name !== undefined);

/** The keys of the claims that a change of a pod concerns. */
export const usedClaims = ({ object }: StoreEvent<Pod>): string[] =>
  claimsOf(object).map((name) => `${object.metadata.namespace ?? ""}/${name}`);

/** The pods that use a claim. */
export function usersOf(
  client: ControllerClient,
  { namespace = "", name = "" }: ObjectName,
): readonly Pod[] {
  return client.list(PODS, { namespace }).filter((pod) => claimsOf(pod).includes(name));
}

/** The reference of a volume to its claim. */
export function claimReference({ metadata }: SentObject): object {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
}
