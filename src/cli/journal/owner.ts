/** The owner of an object that no reconcile concerns: what the operator wrote, and others made the object of. */
import type { KubeObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";
import type { Client } from "../../runtime/client/client.ts";
import type { Target } from "./target.ts";

/** How many owners are gone up; a Pod has three. */
const LONGEST = 8;

/**
 * The nearest owner that the journal knows, or else the topmost, as `tsop why` takes it: `deployment/web`.
 * `undefined` where the object is not there or nobody owns it.
 */
export async function ownerOf(
  client: Pick<Client, "list" | "find" | "dynamic">,
  kind: ResourceType,
  { name, namespace }: Target,
  isKnown: (owner: Target) => boolean,
): Promise<string | undefined> {
  const all = await client.list(kind, namespace === undefined ? {} : { namespace });
  let object: KubeObject | undefined = all.find(({ metadata }) => metadata.name === name);
  let top: string | undefined;
  for (let length = 0; object && length < LONGEST; length++) {
    const { ownerReferences = [], namespace: place } = object.metadata;
    const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
    if (!owner) return top;
    top = `${owner.kind.toLowerCase()}/${owner.name}`;
    const target = { kind: owner.kind.toLowerCase(), name: owner.name };
    if (isKnown({ ...target, ...(place !== undefined && { namespace: place }) })) return top;
    const above = await client.dynamic(owner.apiVersion, owner.kind);
    const key = {
      name: owner.name,
      ...(above.namespaced && place !== undefined && { namespace: place }),
    };
    object = await client.find(above, key);
  }
  return top;
}
