/**
 * The history of a StatefulSet or DaemonSet: a ControllerRevision for each template that it has
 * had.
 *
 * @see
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/
 */
import type { ResourceName } from "../resource-name.ts";
import type { SentObject } from "../../kube/object.ts";
import type { LabelSelector } from "../../kube/selectors/selector.ts";
import type { PodTemplate } from "../builtin/shared/pods/shapes.ts";
import type { ControllerClient } from "./client.ts";

import { type OwnerKind, claimed, controllerReference } from "./ownership.ts";
import { canonicalJson, hashOf } from "./template-hash.ts";

/** A ControllerRevision. */
export interface Revision extends SentObject {
  data?: { spec: { template: PodTemplate & { $patch: "replace" } } };
  revision: number;
}

const REVISIONS: ResourceName<Revision> = { group: "apps", plural: "controllerrevisions" };

interface Owner extends SentObject {
  spec: { template: PodTemplate; selector?: LabelSelector; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

/** The labels that a kind gives its revisions. */
interface Labelling {
  readonly kind: OwnerKind;
  readonly hashLabel: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const dataOf = (template: PodTemplate): NonNullable<Revision["data"]> => ({
  spec: { template: { ...template, $patch: "replace" } },
});

/** Finds, creates and deletes the revisions of one owner. */
export class RevisionHistory {
  readonly #client: ControllerClient;
  readonly #owner: Owner;
  readonly #labelling: Labelling;

  constructor(client: ControllerClient, owner: Owner, labelling: Labelling) {
    this.#client = client;
    this.#owner = owner;
    this.#labelling = labelling;
  }

  /** The revisions, the oldest first. */
  async list(): Promise<Revision[]> {
    const found = await claimed({
      client: this.#client,
      owner: this.#owner,
      kind: this.#labelling.kind,
      resource: REVISIONS,
      selector: this.#owner.spec.selector,
    });
    return found.toSorted((left, right) => left.revision - right.revision);
  }

  /** The revision of the current template: the newest one, created or restored where necessary. */
  async current(revisions: readonly Revision[]): Promise<Revision> {
    const wanted = canonicalJson(dataOf(this.#owner.spec.template));
    const known = revisions.findLast(({ data }) => canonicalJson(data) === wanted);
    const next = (revisions.at(-1)?.revision ?? 0) + 1;
    if (!known) return this.#make(next);
    if (known.revision === next - 1) return known;
    const renewed = { ...known, revision: next };
    return this.#client.update(REVISIONS, renewed);
  }

  async #make(revision: number): Promise<Revision> {
    const { metadata, spec, status } = this.#owner;
    const hash = hashOf(spec.template, status?.collisionCount ?? 0);
    const { kind, hashLabel, annotations } = this.#labelling;
    const made: Revision & { data: object } = {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata: {
        name: `${metadata.name ?? ""}-${hash}`,
        namespace: metadata.namespace ?? "",
        labels: { ...spec.template.metadata?.labels, [hashLabel]: hash },
        ...(annotations ? { annotations: { ...annotations } } : {}),
        ownerReferences: [controllerReference(this.#owner, kind)],
      },
      data: dataOf(spec.template),
      revision,
    };
    return this.#client.create(REVISIONS, made);
  }

  /** Deletes unused revisions beyond the history limit, the oldest first. */
  async truncate(revisions: readonly Revision[], inUse: ReadonlySet<string>): Promise<void> {
    const limit = this.#owner.spec.revisionHistoryLimit ?? 10;
    const unused = revisions.filter(({ metadata }) => !inUse.has(metadata.name ?? ""));
    await this.remove(unused.slice(0, Math.max(0, unused.length - limit)));
  }

  async remove(revisions: readonly Revision[]): Promise<void> {
    for (const { metadata } of revisions) {
      const { namespace = "", name = "" } = metadata;
      await this.#client.remove(REVISIONS, { namespace, name });
    }
  }
}
