/**
 * Which pods use which claims.
 *
 * @module
 */
import type { ObjectKey } from "../../kube/object.ts";
import type { Pod } from "../builtin/strategies/pod-shapes.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import { PODS, concerns } from "./keys.ts";

/** The names of the claims that a pod uses: those that it names, and those that are made for it. */
function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name ?? ""}-${name}`] : [];
  });
}

/** The keys of the claims that a change of a pod concerns; none for other objects. */
export function* usedClaims(event: StoreEvent): Generator<string> {
  if (!concerns(event, PODS)) return;
  const { namespace = "" } = event.object.metadata;
  for (const name of claimsOf(event.object as Pod)) yield `${namespace}/${name}`;
}

/** The pods that use a claim. */
export function usersOf(
  client: ControllerClient,
  { namespace = "", name }: ObjectKey,
): readonly Pod[] {
  const pods = client.list(PODS, { namespace }) as readonly Pod[];
  return pods.filter((pod) => claimsOf(pod).includes(name));
}
