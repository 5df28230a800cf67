/** Whether the user may do what a command is about to do: asked before anything is changed. */
import { TsopError } from "../../errors.ts";
import type { ManifestObject } from "../../kube/object.ts";
import { groupResourceOf, type ResourceType } from "../../kube/resource.ts";
import type { ClusterSession } from "./cluster-session.ts";

/**
 * @param instead - what else can be done without the rights
 * @throws TsopError `no-rights` with everything that is missing
 */
export async function checkRights(
  session: ClusterSession,
  objects: readonly ManifestObject[],
  verbs: readonly string[],
  instead?: string,
): Promise<void> {
  const asked = new Map<string, { resource: ResourceType; namespace: string | undefined }>();
  for (const object of objects) {
    // Kinds whose CRD is part of the same roll-out are not there yet.
    const resource = await session.findResource(object);
    if (!resource) continue;
    const namespace = resource.namespaced ? object.metadata.namespace : undefined;
    asked.set(`${groupResourceOf(resource)} ${namespace ?? ""}`, { resource, namespace });
  }
  const missing = await Promise.all(
    [...asked.values()].map(async ({ resource, namespace }) => {
      const allowed = await Promise.all(
        verbs.map((verb) => session.isAllowed(verb, resource, namespace)),
      );
      const denied = verbs.filter((_verb, index) => !allowed[index]);
      if (denied.length === 0) return [];
      const place = namespace === undefined ? "" : ` in the namespace ${namespace}`;
      return [`${denied.join(" and ")} ${groupResourceOf(resource)}${place}`];
    }),
  );
  const all = missing.flat();
  if (all.length === 0) return;
  throw new TsopError(
    "no-rights",
    `At ${session.server} you are not allowed to ${all.join(", nor ")}.`,
    `Request these permissions, or use --context or --kubeconfig of someone who has them${instead === undefined ? "" : `, or ${instead}`}; nothing was changed.`,
  );
}
