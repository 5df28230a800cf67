/**
 * The ReplicaSet of a Deployment's newest revision, and the history of the older ones.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#clean-up-policy
 */
import { messageOf } from "../../../errors.ts";
import { int64Problem } from "../../../kube/values/integers.ts";
import { sameJson } from "../../../kube/json.ts";
import { hasReason, isAlreadyExists } from "../../../kube/status.ts";
import { present } from "../../../present.ts";
import type { Deployment } from "../../builtin/kinds/apps/workload-rules.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { PodTemplate } from "../../builtin/shared/pods/pod-shapes.ts";
import type { ReplicaSet } from "../../builtin/shared/workloads/workload-shapes.ts";
import { DEPLOYMENTS, REPLICA_SETS } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import type { Tools } from "../framework/controller.ts";
import { byAge } from "../framework/keys.ts";
import { controllerReference, isControlledBy } from "../framework/owner-references.ts";
import { canonicalJson } from "../../../kube/canonical-json.ts";
import { hashOf } from "../framework/template-hash.ts";
import { progressOf, withProgress } from "./deployment-status.ts";
import {
  DESIRED,
  MAX,
  type Rollout,
  newSetReplicas,
  replicasOf,
  sizeAnnotations,
} from "./rollout.ts";

const HASH_LABEL = "pod-template-hash";
const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";
const HISTORY_LIMIT = 2000;

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED,
  MAX,
  "deprecated.deployment.rollback.to",
]);

/** Divides the sets of a Deployment into the one with its current template and the others. */
export function rolloutOf(deployment: Deployment, owned: readonly ReplicaSet[]): Rollout {
  const wanted = templateText(deployment.spec.template);
  const newSet = owned.toSorted(byAge).find((set) => templateText(set.spec.template) === wanted);
  return { deployment, newSet, old: owned.filter((set) => set !== newSet) };
}

/**
 * The rollout with the newest set's annotations up to date, and its revision in the stored
 * Deployment; with `create`, a missing newest set is created.
 */
export async function withRevision(
  tools: Tools,
  rollout: Rollout,
  create: boolean,
): Promise<Rollout> {
  const { deployment, old } = rollout;
  let { newSet } = rollout;
  const revision = latestOf(old) + 1n;
  if (!newSet) return create ? createSet(tools, rollout, revision) : rollout;
  const annotations = annotationsOf(deployment, newSet, revision);
  const { minReadySeconds = 0 } = deployment.spec;
  if (
    !sameJson(annotations, newSet.metadata.annotations ?? {}) ||
    (newSet.spec.minReadySeconds ?? 0) !== minReadySeconds
  ) {
    newSet = await tools.client.update(REPLICA_SETS, {
      ...newSet,
      metadata: { ...newSet.metadata, annotations },
      spec: { ...newSet.spec, minReadySeconds },
    });
  }
  const message = `Found new replica set "${newSet.metadata.name ?? ""}"`;
  const conditions = progressOf(deployment)
    ? undefined
    : withProgress(deployment, tools.clock.now(), "True", "FoundNewReplicaSet", message);
  const noted = await noteRevision(tools.client, deployment, revisionOf(newSet), conditions);
  return { deployment: noted, newSet, old };
}

/** Deletes empty old sets beyond the history limit. */
export async function cleanUp(
  client: ControllerClient,
  { deployment, old }: Rollout,
): Promise<void> {
  const limit = deployment.spec.revisionHistoryLimit;
  if (limit === undefined) return;
  const alive = old.filter(({ metadata }) => !metadata.deletionTimestamp);
  const surplus = alive
    .toSorted((left, right) => byRevision(left, right) || byAge(left, right))
    .slice(0, Math.max(0, alive.length - limit));
  for (const set of surplus) {
    const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
    const isSettled = (set.metadata.generation ?? 0) <= observedGeneration;
    if (replicas === 0 && replicasOf(set) === 0 && isSettled) {
      await client.remove(REPLICA_SETS, set.metadata);
    }
  }
}

async function createSet(tools: Tools, rollout: Rollout, revision: bigint): Promise<Rollout> {
  const { deployment, old } = rollout;
  const draft = draftSet(deployment);
  const size = newSetReplicas(rollout, draft);
  draft.spec.replicas = size;
  draft.metadata.annotations = {
    ...annotationsOf(deployment, draft, revision),
    ...sizeAnnotations(deployment),
  };
  const { name = "" } = draft.metadata;
  let newSet: ReplicaSet;
  try {
    newSet = await tools.client.create(REPLICA_SETS, draft);
  } catch (thrown) {
    if (isAlreadyExists(thrown)) await noteCollision(tools.client, deployment, draft);
    else await noteFailedSet(tools, deployment, name, thrown);
    throw thrown;
  }
  if (size > 0) {
    const message = `Scaled up replica set ${name} from 0 to ${size}`;
    await tools.events.record(deployment, "Normal", "ScalingReplicaSet", message);
  }
  const now = tools.clock.now();
  const message = `Created new replica set "${name}"`;
  const conditions = withProgress(deployment, now, "True", "NewReplicaSetCreated", message);
  const noted = await noteRevision(tools.client, deployment, revision, conditions);
  return { deployment: noted, newSet, old };
}

/** Counts a collision: another owner's set has the name, so the next try uses another name. */
async function noteCollision(
  client: ControllerClient,
  deployment: Deployment,
  draft: ReplicaSet,
): Promise<void> {
  const existing = client.find(REPLICA_SETS, draft.metadata);
  if (
    existing &&
    isControlledBy(existing, deployment) &&
    templateText(existing.spec.template) === templateText(draft.spec.template)
  ) {
    return;
  }
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await client.updateStatus(DEPLOYMENTS, deployment, { ...deployment.status, collisionCount });
}

async function noteFailedSet(
  { client, clock, events }: Tools,
  deployment: Deployment,
  name: string,
  thrown: unknown,
): Promise<void> {
  // The Deployment is deleted with its terminating namespace.
  if (hasReason(thrown, "Forbidden") && messageOf(thrown).includes("being terminated")) return;
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${name}": ${messageOf(thrown)}`;
  const conditions = withProgress(deployment, clock.now(), "False", reason, message);
  const status = { ...deployment.status, ...present({ conditions }) };
  await client.updateStatus(DEPLOYMENTS, deployment, status);
  await events.record(deployment, "Warning", reason, message);
}

/** Writes the revision, and the conditions that come with it, where they differ. */
async function noteRevision(
  client: ControllerClient,
  deployment: Deployment,
  revision: bigint,
  conditions: Condition[] | undefined,
): Promise<Deployment> {
  const { metadata, status } = deployment;
  if (metadata.annotations?.[REVISION] === String(revision) && !conditions) return deployment;
  const annotations = { ...metadata.annotations, [REVISION]: String(revision) };
  const next: Deployment = {
    ...deployment,
    metadata: { ...metadata, annotations },
    status: { ...status, ...present({ conditions }) },
  };
  return client.update(DEPLOYMENTS, next, "status");
}

/** The newest set before it is created, without a size. */
function draftSet(deployment: Deployment): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = hashOf(JSON.parse(templateText(template)), deployment.status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name ?? ""}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: 0,
      ...present({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The template without its hash label, as text that can be compared. */
function templateText(template: PodTemplate): string {
  const labels = { ...template.metadata?.labels };
  Reflect.deleteProperty(labels, HASH_LABEL);
  const metadata = { ...template.metadata, labels };
  return canonicalJson({ ...template, metadata });
}

/** The revision of a set, a signed number of 64 bits; 0 when it has none. */
function revisionOf(set: ReplicaSet): bigint {
  const text = set.metadata.annotations?.[REVISION] ?? "0";
  return int64Problem(text) === undefined ? BigInt(text.replace("+", "")) : 0n;
}

const latestOf = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).reduce((latest, one) => (one > latest ? one : latest), 0n);

function byRevision(left: ReplicaSet, right: ReplicaSet): number {
  const difference = revisionOf(left) - revisionOf(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function annotationsOf(
  deployment: Deployment,
  set: ReplicaSet,
  revision: bigint,
): Record<string, string> {
  const annotations: Record<string, string> = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!NOT_COPIED.has(key)) annotations[key] = value;
  }
  if (revisionOf(set) >= revision) return annotations;
  const { [REVISION]: before, [HISTORY]: history = "" } = annotations;
  if (before !== undefined) annotations[HISTORY] = extendHistory(history, before);
  annotations[REVISION] = String(revision);
  return annotations;
}

function extendHistory(history: string, revision: string): string {
  const revisions = history === "" ? [] : history.split(",");
  if (revisions.includes(revision)) return history;
  revisions.push(revision);
  while (revisions.join(",").length > HISTORY_LIMIT) revisions.shift();
  return revisions.join(",");
}
