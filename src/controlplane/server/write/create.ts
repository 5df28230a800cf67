/** POST: a new object on its way to the store. */
import { asJson } from "../../../kube/json.ts";
import type { Clock } from "../../../clock.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { StatusError } from "../../../kube/status.ts";
import { admissionRequest, mutated } from "./admitted.ts";
import { checkEscalation } from "./escalation.ts";
import { matchNamespace } from "./match-path.ts";
import { checkSize, dedupOwners } from "./object-limits.ts";
import { trackChange } from "./field-ownership.ts";
import type { ServedResource } from "../../kinds.ts";
import {
  type Write,
  type WriteOptions,
  randomUid,
  storedAt,
  timestamp,
  writeContext,
} from "../cluster/cluster.ts";
import { alreadyExists, forbiddenTo, notFound, plainError } from "../../failures.ts";
import { collectionOf } from "../../resource-name.ts";
import { validateNew } from "./object-validation.ts";
import { rememberRead, shownAs, toStore } from "../cluster/versions.ts";
import { unfilled } from "../../builtin/unfilled.ts";

const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const GENERATED_PREFIX_MAX = 58;
const GENERATE_TRIES = 8;

export interface CreateOptions extends WriteOptions {
  /** Whether the object already has its managed fields, from an apply. */
  readonly ownedAlready?: boolean;
}

/**
 * Stores a new object and returns it as `resource` shows it.
 *
 * @param object - decoded, in the version of the resource; it is changed
 * @throws StatusError
 */
export async function createObject(
  place: Omit<Write<CreateOptions>, "name">,
  object: SentObject,
): Promise<SentObject> {
  const { cluster, endpoint, namespace, options } = place;
  const { resource } = endpoint;
  const { ownedAlready = false } = options;
  matchNamespace(resource, namespace, object);
  wipeSystemMetadata(object.metadata);
  dedupOwners(object.metadata, options.warn);
  resource.strategy.setDefaults(object, { keepNulls: ownedAlready });
  if (!ownedAlready) trackChange(place, undefined, object);
  // A webhook that changes the name does not change the name of the request.
  const write = { ...place, name: object.metadata.name ?? "" };
  admitToNamespace(write, object);
  const admitted = await mutated(write, admissionRequest(write, "CREATE", { object }), (one) =>
    resource.strategy.admit?.(one, writeContext(cluster, options)),
  );
  checkEscalation(write, admitted);
  nameAndStamp(write, admitted);
  validateNew(write, admitted);
  const name = write.name === "" ? (admitted.metadata.name ?? "") : write.name;
  const request = admissionRequest({ ...write, name }, "CREATE", { object: admitted });
  await cluster.admission.validate(request);
  const kept = await storeNew(write, admitted);
  // Whether all defaults are set, without nulls where there should be none. A status that the
  // client may not set gets its defaults when the object is read.
  const isWhole = admitted === object && !ownedAlready;
  const statusHasDefault = resource.schema.properties?.["status"]?.default !== undefined;
  if (isWhole && !statusHasDefault) rememberRead(resource, kept);
  return shownAs(cluster, resource, kept);
}

/** Refuses new objects in a namespace that does not exist, or is terminating. */
function admitToNamespace(
  { cluster, endpoint: { resource }, namespace }: Write,
  object: SentObject,
): void {
  if (!resource.namespaced || !cluster.plugins.isOn("NamespaceLifecycle")) return;
  const found = cluster.store.get("namespaces", namespace);
  if (!found) throw notFound({ group: "", plural: "namespaces" }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const { name, generateName } = object.metadata;
  throw forbiddenTo(
    resource,
    name || generateName || "Unknown",
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}

/** Generates the object's name if necessary, and sets its uid and its creation time. */
function nameAndStamp({ cluster, endpoint, namespace }: Write, { metadata }: SentObject): void {
  const { clock } = cluster;
  const { generateName: prefix = "" } = metadata;
  if ((metadata.name ?? "") === "" && prefix !== "") {
    const isFree = (name: string): boolean =>
      !storedAt(cluster, endpoint.resource, namespace, name);
    metadata.name = generateName(prefix, isFree, clock);
  }
  metadata.uid = randomUid(clock);
  metadata.creationTimestamp = timestamp(clock);
}

/** @throws StatusError 409 when the name is taken, 500 for an object that cannot be stored */
async function storeNew(
  { cluster, endpoint: { resource }, namespace, options }: Write,
  object: SentObject,
): Promise<SentObject> {
  const { metadata } = object;
  // A new object is read back from the store, and gets defaults on the way.
  if (resource.builtIn) resource.strategy.setDefaults(object);
  if (!options.dryRun) checkVersionIsUnset(metadata);
  resource.dropUnknown?.(object);
  const stored = await toStore(cluster, resource, object);
  const existing = storedAt(cluster, resource, namespace, metadata.name ?? "");
  if (existing) throw taken(resource, existing, (metadata.generateName ?? "") !== "");
  checkSize(stored);
  const kept = options.dryRun ? stored : cluster.store.put(collectionOf(resource), stored);
  if (unfilled.has(object)) unfilled.add(kept);
  return kept;
}

/** Removes metadata that only the server sets. */
function wipeSystemMetadata(metadata: ObjectMeta): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete asJson(metadata)["selfLink"];
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/** @throws StatusError 500, in the storage's words */
function checkVersionIsUnset(metadata: ObjectMeta): void {
  const version = metadata.resourceVersion;
  if (version !== undefined && /^[1-9]\d*$/.test(version)) {
    throw plainError("resourceVersion should not be set on objects to be created");
  }
  delete metadata.resourceVersion;
}

function taken(resource: ServedResource, existing: SentObject, generated: boolean): StatusError {
  const name = existing.metadata.name ?? "";
  const prefix =
    existing.metadata.deletionTimestamp === undefined ? "" : "object is being deleted: ";
  const failure = alreadyExists(resource, name, prefix);
  if (generated) {
    failure.status.message = `${failure.message}, the server was not able to generate a unique name for the object`;
    failure.status.details = { ...failure.status.details, retryAfterSeconds: 1 };
  }
  return failure;
}

/** A prefix and five characters that spell no words; the last of several tries if all are taken. */
function generateName(prefix: string, isFree: (name: string) => boolean, clock: Clock): string {
  // The limit counts bytes; a character cut in half is dropped.
  const start = Buffer.from(prefix).toString("utf8", 0, GENERATED_PREFIX_MAX);
  const letter = (): string =>
    SUFFIX_LETTERS.charAt(Math.floor(clock.random() * SUFFIX_LETTERS.length));
  for (let tries = 1; ; tries++) {
    const name = start + Array.from({ length: SUFFIX_LENGTH }, letter).join("");
    if (tries === GENERATE_TRIES || isFree(name)) return name;
  }
}
