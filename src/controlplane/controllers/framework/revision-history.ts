/**
 * The history of a StatefulSet or DaemonSet: a ControllerRevision for each template that it has
 * had.
 *
 * @see
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/
 */
import type { ResourceName } from "../../resource-name.ts";
import { canonicalJson, withSortedKeys } from "../../../kube/canonical-json.ts";
import { goJson } from "../../../kube/go-json.ts";
import type { SentObject } from "../../../kube/object.ts";
import type { LabelSelector } from "../../../kube/selectors/selector.ts";
import { isAlreadyExists } from "../../../kube/status.ts";
import { present } from "../../../present.ts";
import type { PodTemplate } from "../../builtin/shared/pods/pod-shapes.ts";
import type { ControllerClient } from "./client.ts";
import { claimed, controllerReference, isControlledBy } from "./owner-references.ts";
import { hashOf, revisionHash } from "./template-hash.ts";

export interface Revision extends SentObject {
  data?: { spec: { template: PodTemplate & { $patch: "replace" } } };
  revision: number;
}

const REVISIONS: ResourceName<Revision> = { group: "apps", plural: "controllerrevisions" };

/** How much of an owner's name is in the names of its revisions. */
const LONGEST_PREFIX = 223;

interface Owner extends SentObject {
  spec: { template: PodTemplate; selector?: LabelSelector; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

/** The revisions of an owner, the oldest first. */
export async function revisionsOf(client: ControllerClient, owner: Owner): Promise<Revision[]> {
  const found = await claimed(client, owner, REVISIONS, owner.spec.selector);
  return found.toSorted((left, right) => left.revision - right.revision);
}

/** How the revisions of a kind are named. */
export interface RevisionNaming {
  /** The label for the hash. */
  readonly hashLabel: string;
  /** The hash of the data as it is stored, or of the template. */
  readonly hashed: "data" | "template";
}

/** The revision of an owner's current template. */
export interface CurrentRevision {
  readonly revision: Revision;
  /** How often the name of a revision was taken, for the owner's status. */
  readonly collisionCount: number;
}

/**
 * The revision of the owner's current template: the newest one, created or restored where
 * necessary.
 */
export async function currentRevision(
  client: ControllerClient,
  owner: Owner,
  revisions: readonly Revision[],
  naming: RevisionNaming,
): Promise<CurrentRevision> {
  const { metadata, spec, status } = owner;
  let { collisionCount = 0 } = status ?? {};
  // Clients compare the text of the data: its keys are in order, as Go writes those of maps.
  const data = withSortedKeys({
    spec: { template: { ...spec.template, $patch: "replace" as const } },
  });
  const wanted = canonicalJson(data);
  const known = revisions.findLast((revision) => canonicalJson(revision.data) === wanted);
  const last = revisions.at(-1)?.revision ?? 0;
  if (known && known.revision === last) return { revision: known, collisionCount };
  // Whole numbers beyond 2^53 are bigints.
  const next = (
    typeof last === "bigint" || last >= Number.MAX_SAFE_INTEGER ? BigInt(last) + 1n : last + 1
  ) as number;
  if (known) {
    const revision = await client.update(REVISIONS, { ...known, revision: next });
    return { revision, collisionCount };
  }
  for (;;) {
    const hash =
      naming.hashed === "data"
        ? revisionHash(goJson(data), collisionCount)
        : hashOf(spec.template, collisionCount);
    const { name: ownName = "", namespace = "", annotations } = metadata;
    const made: Revision = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `${ownName.slice(0, LONGEST_PREFIX)}-${hash}`,
        namespace,
        labels: { ...spec.template.metadata?.labels, [naming.hashLabel]: hash },
        ...present({ annotations: annotations && { ...annotations } }),
        ownerReferences: [controllerReference(owner)],
      },
      data,
      revision: next,
    };
    try {
      return { revision: await client.create(REVISIONS, made), collisionCount };
    } catch (thrown) {
      if (!isAlreadyExists(thrown)) throw thrown;
      const taken = client.find(REVISIONS, made.metadata);
      if (taken && isControlledBy(taken, owner) && canonicalJson(taken.data) === wanted) {
        return { revision: taken, collisionCount };
      }
      collisionCount++;
    }
  }
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
