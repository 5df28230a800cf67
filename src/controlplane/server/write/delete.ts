/**
 * DELETE: finalizers, grace, preconditions, and what becomes of dependents.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 * @module
 */
import { copyJson, sameJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { type Status, type StatusError, failure } from "../../../kube/status.ts";
import type { DeleteOptions } from "../../controllers/client.ts";
import type { ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import { admissionRequest } from "./admitted.ts";
import { type Cluster, type WriteOptions, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { conflict, notFound } from "../../failures.ts";
import { collectionOf } from "../cluster/registry.ts";
import { prepareReads, readAs, rewritten } from "../cluster/versions.ts";
import { type DeletionRules } from "../../kinds.ts";

/** What a deletion demands, as the API knows it. */
export interface DeletionOptions extends DeleteOptions {
  /** The old form of the policy: true is Orphan. */
  readonly orphanDependents?: boolean;
}

/** What a deletion answers. */
export interface DeletionResult {
  readonly body: SentObject | Status;
  /** Whether the object is gone. */
  readonly gone: boolean;
}

const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";

/**
 * Deletes an object, or marks it as being deleted when something holds it.
 *
 * @throws StatusError 404, or 409 when a precondition fails
 */
export async function deleteObject(
  cluster: Cluster,
  resource: ServedResource,
  namespace: string,
  name: string,
  deletion: DeletionOptions,
  options: WriteOptions,
): Promise<DeletionResult> {
  const rule = resource.traits?.deletion ?? {};
  if (!options.collection) warnOfDeletion(resource, deletion, options);
  for (;;) {
    const stored = cluster.store.get(collectionOf(resource), storeKey(namespace, name));
    if (!stored) throw notFound(resource, name);
    checkPreconditions(resource, stored, deletion);
    rule.check?.(stored, cluster.plugins);
    await prepareReads(cluster, resource, [stored]);
    await admitDeletion(cluster, resource, stored, withReviewed(rule, stored, deletion, options));
    // What stays is written in the version of the request.
    const stays = dependentsFinalizers(rule, stored.metadata, deletion).length > 0;
    const marked = stays ? await rewritten(cluster, resource, stored) : stored;
    // While somebody was asked, another may have written: then all begins anew, with what is there now.
    if (cluster.store.get(collectionOf(resource), storeKey(namespace, name)) === stored) {
      const outcome = deleteStored(cluster, resource, stored, marked, rule, deletion, options);
      await prepareReads(cluster, resource, [outcome.object]);
      return result(cluster, resource, outcome, rule);
    }
  }
}

/** Warns of what a deletion leaves behind unless told; before it is known what there is to delete. */
export function warnOfDeletion(
  resource: ServedResource,
  deletion: DeletionOptions,
  options: Pick<WriteOptions, "warn">,
): void {
  const { warning } = resource.traits?.deletion ?? {};
  if (warning && policyOf(deletion) === undefined) options.warn(warning);
}

/** What became of an object. */
interface Outcome {
  /** As it is stored, or was last. */
  readonly object: SentObject;
  readonly gone: boolean;
  /** A new deletion of one that goes already changes nothing and is told nothing. */
  readonly isPending?: boolean;
}

/** The options as admission sees them: with the grace that will be given, and namespaces by their uid. */
function withReviewed(
  rule: DeletionRules,
  stored: SentObject,
  deletion: DeletionOptions,
  options: WriteOptions,
): WriteOptions {
  const { metadata } = stored;
  const isLive = metadata.deletionTimestamp === undefined;
  const grace =
    isLive && rule.graceSeconds
      ? rule.graceSeconds(stored, deletion.gracePeriodSeconds)
      : undefined;
  const asked = {
    ...options.asked,
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(rule.pinsUid ? { preconditions: { uid: metadata.uid } } : {}),
  };
  return { ...options, asked };
}

/** Asks admission, unless nobody has a say. @throws StatusError */
function admitDeletion(
  cluster: Cluster,
  resource: ServedResource,
  stored: SentObject,
  options: WriteOptions,
): Promise<unknown> | undefined {
  const { namespace = "", name = "" } = stored.metadata;
  const oldObject = readAs(cluster, resource, stored);
  const shownName = options.collection ? "" : name;
  const request = admissionRequest(
    mainEndpoint(resource),
    "DELETE",
    { namespace, name: shownName },
    { oldObject },
    options,
  );
  const mutation = cluster.admission.mutate(request);
  if (!mutation) return cluster.admission.validate(request);
  return mutation.then(() => cluster.admission.validate(request));
}

/** @param marked - the stored object as it is to be kept while it waits */
function deleteStored(
  cluster: Cluster,
  resource: ServedResource,
  stored: SentObject,
  marked: SentObject,
  rule: DeletionRules,
  deletion: DeletionOptions,
  options: WriteOptions,
): Outcome {
  if (rule.begin && stored.metadata.deletionTimestamp === undefined) {
    const begun = copyJson(stored);
    begun.metadata.deletionTimestamp = timestamp(cluster.clock);
    rule.begin(begun, timestamp(cluster.clock));
    begun.metadata.finalizers = dependentsFinalizers(rule, begun.metadata, deletion);
    tidyFinalizers(begun.metadata);
    return { object: save(cluster, resource, begun, options), gone: false };
  }
  if (rule.holds?.(stored)) return { object: stored, gone: false };
  return removeOrMark(cluster, resource, stored, marked, rule, deletion, options);
}

function removeOrMark(
  cluster: Cluster,
  resource: ServedResource,
  stored: SentObject,
  marked: SentObject,
  rule: DeletionRules,
  deletion: DeletionOptions,
  options: WriteOptions,
): Outcome {
  const object = copyJson(marked);
  const metadata = object.metadata;
  const grace = applyGrace(cluster, object, rule, deletion);
  if (grace === "pending") return { object: stored, gone: false, isPending: true };
  metadata.finalizers = dependentsFinalizers(rule, metadata, deletion);
  const held = metadata.finalizers.length > 0;
  tidyFinalizers(metadata);
  if (grace === "none") {
    if (!held) return remove(cluster, resource, stored, stored, options);
    markAsDeleting(cluster, metadata);
  }
  const saved = save(cluster, resource, object, options);
  if (held || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return { object: saved, gone: false };
  return remove(cluster, resource, stored, saved, options);
}

/** @throws StatusError 409 */
function checkPreconditions(
  resource: ServedResource,
  object: SentObject,
  { uid, resourceVersion }: DeletionOptions,
): void {
  const { name = "" } = object.metadata;
  if (resource.traits?.deletion?.pinsUid) {
    const { metadata } = object;
    const differs = (field: string, wanted: string | undefined, found = ""): void => {
      if (wanted === undefined || wanted === found) return;
      const text = `${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
      throw conflict(resource, name, `Precondition failed: ${text}`);
    };
    differs("UID", uid, metadata.uid);
    differs("ResourceVersion", resourceVersion, metadata.resourceVersion);
  }
  const refuse = (field: string, wanted: string, found: string, end: string): StatusError =>
    failure(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${resource.group === "" ? resource.kind : `${resource.kind}.${resource.group}`} ${JSON.stringify(name)}: the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${end}`,
      { name, ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.kind },
    );
  if (uid !== undefined && uid !== object.metadata.uid) {
    const end = "The object might have been deleted and then recreated";
    throw refuse("UID", uid, object.metadata.uid ?? "", end);
  }
  if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion) {
    const end = "The object might have been modified";
    throw refuse("ResourceVersion", resourceVersion, object.metadata.resourceVersion ?? "", end);
  }
}

/**
 * Gives a kind that knows grace its times. `none`: without grace; `pending`: a deletion goes on and this
 * one changes nothing.
 */
function applyGrace(
  cluster: Cluster,
  object: SentObject,
  rule: DeletionRules,
  deletion: DeletionOptions,
): "none" | "graceful" | "pending" {
  if (!rule.graceSeconds) return "none";
  const metadata = object.metadata;
  const asked =
    deletion.gracePeriodSeconds !== undefined && deletion.gracePeriodSeconds < 0
      ? 1
      : deletion.gracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    const running = metadata.deletionGracePeriodSeconds ?? 0;
    if (running === 0) return "none";
    if (asked === undefined || asked >= running) return "pending";
    const begun = Date.parse(metadata.deletionTimestamp) - running * 1000;
    const ends = Math.max(begun + asked * 1000, cluster.clock.now());
    metadata.deletionTimestamp = timestamp(cluster.clock, ends - cluster.clock.now());
    // A period that has run out is still a graceful one: whoever watches gets a second.
    metadata.deletionGracePeriodSeconds =
      begun + asked * 1000 < cluster.clock.now() && asked !== 0 ? 1 : asked;
    return "graceful";
  }
  const seconds = rule.graceSeconds(object, asked);
  metadata.deletionTimestamp = timestamp(cluster.clock, seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return "graceful";
}

function markAsDeleting(cluster: Cluster, metadata: ObjectMeta): void {
  if (metadata.deletionGracePeriodSeconds === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = (metadata.generation ?? 0) + 1;
  }
  const now = timestamp(cluster.clock);
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp > now) {
    metadata.deletionTimestamp = now;
  }
  metadata.deletionGracePeriodSeconds = 0;
}

/** The policy that was asked for, in either form. */
function policyOf(deletion: DeletionOptions): DeleteOptions["propagationPolicy"] {
  if (deletion.orphanDependents === true) return "Orphan";
  if (deletion.orphanDependents === false) return "Background";
  return deletion.propagationPolicy;
}

/** The finalizers with those of the garbage collector as the policy wants them. */
function dependentsFinalizers(
  rule: DeletionRules,
  metadata: ObjectMeta,
  deletion: DeletionOptions,
): string[] {
  const present = metadata.finalizers ?? [];
  if (rule.dependents === "unsupported") return present;
  const own = present.includes(ORPHAN)
    ? "Orphan"
    : present.includes(FOREGROUND)
      ? "Foreground"
      : undefined;
  const fallback = rule.dependents === "orphan" ? "Orphan" : "Background";
  const policy = policyOf(deletion) ?? own ?? fallback;
  const others = present.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  const wanted =
    policy === "Orphan"
      ? [...others, ORPHAN]
      : policy === "Foreground"
        ? [...others, FOREGROUND]
        : others;
  return sameJson([...wanted].sort(), [...present].sort()) ? present : wanted;
}

function tidyFinalizers(metadata: ObjectMeta): void {
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
}

function save(
  { store }: Cluster,
  resource: ServedResource,
  object: SentObject,
  options: WriteOptions,
): SentObject {
  const collection = collectionOf(resource);
  const key = storeKey(object.metadata.namespace, object.metadata.name ?? "");
  const before = store.get(collection, key);
  if (before && sameJson(before, object)) return before;
  return options.dryRun ? object : store.put(collection, object);
}

function remove(
  { store }: Cluster,
  resource: ServedResource,
  stored: SentObject,
  last: SentObject,
  options: WriteOptions,
): Outcome {
  const key = storeKey(stored.metadata.namespace, stored.metadata.name ?? "");
  if (options.dryRun) return { object: last, gone: true };
  return { object: store.remove(collectionOf(resource), key, last) ?? last, gone: true };
}

/** The object for the kinds that answer it, else a `Status` that names it. */
function result(
  cluster: Cluster,
  resource: ServedResource,
  { object, gone, isPending = false }: Outcome,
  rule: DeletionRules,
): DeletionResult {
  const isShown = rule.answersObject || (!gone && !isPending);
  if (isShown) return { body: readAs(cluster, resource, object), gone };
  const { name = "", uid } = object.metadata;
  const body: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name,
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.plural,
      ...(uid === undefined ? {} : { uid }),
    },
    code: 0,
  };
  delete (body as { code?: number }).code;
  return { body, gone };
}
