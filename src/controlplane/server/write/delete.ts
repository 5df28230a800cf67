/**
 * DELETE: finalizers, grace periods, preconditions, and the policy for dependents.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import { copyJson, sameJson, asJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { type Status, failure } from "../../../kube/status.ts";
import type { DeleteOptions } from "../../controllers/framework/client.ts";
import type { DeletionRules, ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import { admissionRequest } from "./admitted.ts";
import {
  type Cluster,
  type Write,
  type WriteOptions,
  storedAt,
  timestamp,
} from "../cluster/cluster.ts";
import { conflict, notFound } from "../../failures.ts";
import { collectionOf } from "../../resource-name.ts";
import { corrupt, prepareReads, readAs, rewritten } from "../cluster/versions.ts";
import { present } from "../../../present.ts";

export interface DeletionOptions extends Omit<DeleteOptions, "propagationPolicy"> {
  readonly propagationPolicy?: string;
  /** The old form of the policy: true is `Orphan`. */
  readonly orphanDependents?: boolean;
}

export interface DeletionResult {
  readonly body: SentObject | Status;
  readonly gone: boolean;
}

/** The finalizers of the garbage collector by the policy that they stand for. */
const POLICY_FINALIZERS: ReadonlyMap<string, string> = new Map([
  ["Orphan", "orphan"],
  ["Foreground", "foregroundDeletion"],
]);

/** A deletion under way: its options, and the rules of its kind. */
interface Deletion extends Write {
  readonly rule: DeletionRules;
  readonly asked: DeletionOptions;
}

/**
 * Deletes an object, or marks it as being deleted when finalizers or the like keep it.
 *
 * @throws StatusError 404, or 409 when a precondition fails
 */
export async function deleteObject(write: Write, asked: DeletionOptions): Promise<DeletionResult> {
  const { cluster, namespace, name, options } = write;
  const { resource } = write.endpoint;
  const rule = resource.traits?.deletion ?? {};
  const deletion = { ...write, rule, asked };
  if (!options.collection) warnOfDeletion(resource, asked, options);
  for (;;) {
    const stored = storedAt(cluster, resource, namespace, name);
    if (!stored) throw notFound(resource, name);
    checkPreconditions(resource, stored, asked);
    rule.check?.(stored, cluster.plugins);
    try {
      await prepareReads(cluster, resource, [stored]);
    } catch (error) {
      throw corrupt(error, resource, stored);
    }
    await admitDeletion(deletion, stored);
    // An object that stays is written in the version of the request.
    const stays = dependentsFinalizers(rule, stored.metadata, asked).length > 0;
    const marked = stays ? await rewritten(cluster, resource, stored) : stored;
    // Another write may have happened during a webhook call: then everything starts again with the
    // current object.
    if (storedAt(cluster, resource, namespace, name) !== stored) continue;
    const outcome = deleteStored(deletion, stored, marked);
    await prepareReads(cluster, resource, [outcome.object]);
    return result(deletion, outcome);
  }
}

/** Warns about a deletion without a policy, for kinds that do, before the object is looked up. */
export function warnOfDeletion(
  resource: ServedResource,
  deletion: DeletionOptions,
  options: Pick<WriteOptions, "warn">,
): void {
  const { warning } = resource.traits?.deletion ?? {};
  if (warning && policyOf(deletion) === undefined) options.warn(warning);
}

interface Outcome {
  /** The object as it is stored, or was last. */
  readonly object: SentObject;
  readonly gone: boolean;
  /** Whether the object was being deleted already: nothing changes, and the answer is a `Status`. */
  readonly isPending?: boolean;
}

/**
 * Asks admission, which sees the grace period that will apply, and for namespaces the uid.
 *
 * @throws StatusError when it refuses the deletion
 */
async function admitDeletion(
  { cluster, endpoint, rule, asked, options }: Deletion,
  stored: SentObject,
): Promise<void> {
  const { namespace = "", name = "", uid, deletionTimestamp } = stored.metadata;
  const isLive = deletionTimestamp === undefined;
  const grace = isLive ? rule.graceSeconds?.(stored, asked.gracePeriodSeconds) : undefined;
  const shown = {
    ...options.asked,
    ...present({ gracePeriodSeconds: grace }),
    ...(rule.pinsUid ? { preconditions: { uid } } : {}),
  };
  const reviewed = { ...options, asked: shown };
  const request = admissionRequest(
    { endpoint, namespace, name: options.collection ? "" : name, options: reviewed },
    "DELETE",
    { oldObject: readAs(cluster, endpoint.resource, stored) },
  );
  await cluster.admission.mutate(request);
  await cluster.admission.validate(request);
}

/** @param marked - the stored object as it is kept while it waits */
function deleteStored(deletion: Deletion, stored: SentObject, marked: SentObject): Outcome {
  const { cluster, rule } = deletion;
  if (rule.begin && stored.metadata.deletionTimestamp === undefined) {
    const begun = copyJson(stored);
    begun.metadata.deletionTimestamp = timestamp(cluster.clock);
    rule.begin(begun, timestamp(cluster.clock));
    setFinalizers(deletion, begun.metadata);
    return { object: save(deletion, begun), gone: false };
  }
  if (rule.holds?.(stored)) return { object: stored, gone: false };
  const object = copyJson(marked);
  const { metadata } = object;
  const grace = applyGrace(deletion, object);
  if (grace === "pending") return { object: stored, gone: false, isPending: true };
  const held = setFinalizers(deletion, metadata);
  if (grace === "none") {
    if (!held) return remove(deletion, stored);
    markAsDeleting(cluster, metadata);
  }
  const saved = save(deletion, object);
  if (held || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return { object: saved, gone: false };
  return remove(deletion, saved);
}

/** @throws StatusError 409 */
function checkPreconditions(
  resource: ServedResource,
  { metadata }: SentObject,
  { uid, resourceVersion }: DeletionOptions,
): void {
  const { group, kind, traits } = resource;
  const { name = "" } = metadata;
  const check = (field: string, wanted: string | undefined, found = "", end = ""): void => {
    if (wanted === undefined || wanted === found) return;
    const pin = traits?.deletion?.pinsUid;
    if (pin !== undefined) {
      const text = `${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
      throw conflict(resource, name, `${pin}: ${text}`);
    }
    const qualified = group === "" ? kind : `${kind}.${group}`;
    const message = `Operation cannot be fulfilled on ${qualified} ${JSON.stringify(name)}: the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found}). ${end}`;
    throw failure(409, "Conflict", message, { name, ...(group === "" ? {} : { group }), kind });
  };
  check("UID", uid, metadata.uid, "The object might have been deleted and then recreated");
  const changed = "The object might have been modified";
  check("ResourceVersion", resourceVersion, metadata.resourceVersion, changed);
}

/**
 * Sets the times of the grace period, for kinds that have one. `none`: without one; `pending`: a
 * deletion is under way and this one changes nothing.
 */
function applyGrace(
  { cluster, rule, asked: { gracePeriodSeconds } }: Deletion,
  object: SentObject,
): "none" | "graceful" | "pending" {
  if (!rule.graceSeconds) return "none";
  const { metadata } = object;
  const asked = gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    const running = metadata.deletionGracePeriodSeconds ?? 0;
    if (running === 0) return "none";
    if (asked === undefined || asked >= running) return "pending";
    const begun = Date.parse(metadata.deletionTimestamp) - running * 1000;
    const ends = Math.max(begun + asked * 1000, cluster.clock.now());
    metadata.deletionTimestamp = timestamp(cluster.clock, ends - cluster.clock.now());
    // A period that has run out is still a graceful one: watchers get a second.
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

/** The requested policy, in either form. */
function policyOf(deletion: DeletionOptions): string | undefined {
  if (deletion.orphanDependents === true) return "Orphan";
  if (deletion.orphanDependents === false) return "Background";
  return deletion.propagationPolicy;
}

/** The finalizers, with those of the garbage collector by the policy. */
function dependentsFinalizers(
  rule: DeletionRules,
  metadata: ObjectMeta,
  deletion: DeletionOptions,
): string[] {
  const given = metadata.finalizers ?? [];
  if (rule.dependents === "unsupported") return given;
  const policies = [...POLICY_FINALIZERS];
  const [own] = policies.find(([, finalizer]) => given.includes(finalizer)) ?? [];
  const fallback = rule.dependents === "orphan" ? "Orphan" : "Background";
  const policy = policyOf(deletion) ?? own ?? fallback;
  const wanted = given.filter((one) => !policies.some(([, finalizer]) => finalizer === one));
  const finalizer = POLICY_FINALIZERS.get(policy);
  if (finalizer !== undefined) wanted.push(finalizer);
  return sameJson(wanted.toSorted(), given.toSorted()) ? given : wanted;
}

/** Sets the finalizers of an object that is being deleted; whether there are any. */
function setFinalizers({ rule, asked }: Deletion, metadata: ObjectMeta): boolean {
  metadata.finalizers = dependentsFinalizers(rule, metadata, asked);
  if (metadata.finalizers.length > 0) return true;
  delete metadata.finalizers;
  return false;
}

function save(
  { cluster, endpoint: { resource }, options }: Deletion,
  object: SentObject,
): SentObject {
  const { namespace, name = "" } = object.metadata;
  const before = storedAt(cluster, resource, namespace, name);
  if (before && sameJson(before, object)) return before;
  return options.dryRun ? object : cluster.store.put(collectionOf(resource), object);
}

/** @param last - the object as it was last */
function remove({ cluster: { store }, endpoint, options }: Deletion, last: SentObject): Outcome {
  const key = storeKey(last.metadata.namespace, last.metadata.name ?? "");
  const removed = options.dryRun
    ? undefined
    : store.remove(collectionOf(endpoint.resource), key, last);
  return { object: removed ?? last, gone: true };
}

/** The deleted object for kinds that answer with it, else a `Status` with its name. */
function result(
  { cluster, endpoint: { resource }, rule }: Deletion,
  { object, gone, isPending = false }: Outcome,
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
      ...present({ uid }),
    },
    code: 0,
  };
  delete asJson(body)["code"];
  return { body, gone };
}
