/**
 * The history of a StatefulSet or DaemonSet: a ControllerRevision for each template that it has
 * had.
 *
 * @see
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/
 */
import type { ResourceName } from "../../resource-name.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { LabelSelector } from "../../../kube/selectors/selector.ts";
import { present } from "../../../present.ts";
import type { PodTemplate } from "../../builtin/shared/pods/pod-shapes.ts";
import type { ControllerClient } from "./client.ts";
import { claimed, controllerReference } from "./owner-references.ts";
import { canonicalJson, hashOf } from "./template-hash.ts";

export interface Revision extends SentObject {
  data?: { spec: { template: PodTemplate & { $patch: "replace" } } };
  revision: number;
}

const REVISIONS: ResourceName<Revision> = { group: "apps", plural: "controllerrevisions" };

interface Owner extends SentObject {
  spec: { template: PodTemplate; selector?: LabelSelector; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

/** The revisions of an owner, the oldest first. */
export async function revisionsOf(client: ControllerClient, owner: Owner): Promise<Revision[]> {
  const found = await claimed(client, owner, REVISIONS, owner.spec.selector);
  return found.toSorted((left, right) => left.revision - right.revision);
}

/**
 * The revision of the owner's current template: the newest one, created or restored where
 * necessary.
 *
 * @param hashLabel - the label for the hash of the template
 */
export async function currentRevision(
  client: ControllerClient,
  owner: Owner,
  revisions: readonly Revision[],
  hashLabel: string,
  annotations?: Readonly<Record<string, string>>,
): Promise<Revision> {
  const { metadata, spec, status } = owner;
  const data = { spec: { template: { ...spec.template, $patch: "replace" as const } } };
  const wanted = canonicalJson(data);
  const known = revisions.findLast((revision) => canonicalJson(revision.data) === wanted);
  const last = revisions.at(-1)?.revision ?? 0;
  if (known?.revision === last) return known;
  const revision = last + 1;
  if (known) return client.update(REVISIONS, { ...known, revision });
  const hash = hashOf(spec.template, status?.collisionCount ?? 0);
  const made: Revision = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${metadata.name ?? ""}-${hash}`,
      namespace: metadata.namespace ?? "",
      labels: { ...spec.template.metadata?.labels, [hashLabel]: hash },
      ...present({ annotations: annotations && { ...annotations } }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision,
  };
  return client.create(REVISIONS, made);
}

/** Deletes the first `excess` ones of revisions that no pod has. */
export async function removeRevisions(
  client: ControllerClient,
  unused: readonly Revision[],
  excess: number,
): Promise<void> {
  for (const { metadata } of unused.slice(0, Math.max(0, excess))) {
    await client.remove(REVISIONS, metadata);
  }
}
