/**
 * POST: a new object on its way to the store.
 *
 * @module
 */
import type { Clock } from "../../../clock.ts";
import { invalid } from "../../../kube/field-errors.ts";
import { pathSegmentErrors } from "../../../kube/names.ts";
import { validateObjectMeta } from "../../../kube/metadata.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { StatusError } from "../../../kube/status.ts";
import { admissionRequest } from "./admitted.ts";
import { checkEscalation } from "./escalation.ts";
import { matchNamespace } from "./match-path.ts";
import { withoutEmptied } from "../../builtin/strategies/emptied.ts";
import { createErrors, errorKindOf, hasStrictFinalizers } from "./metadata-checks.ts";
import { checkSize, dedupOwners } from "./object-limits.ts";
import { trackChange } from "./ownership.ts";
import type { ServedResource } from "../../kinds.ts";
import { storeKey } from "../../store/store.ts";
import {
  type Cluster,
  type WriteOptions,
  checkContext,
  mainEndpoint,
  randomUid,
  timestamp,
  writeContext,
} from "../cluster/cluster.ts";
import { alreadyExists, forbiddenTo, notFound, plainError } from "../../failures.ts";
import { collectionOf } from "../cluster/registry.ts";
import { noteUnfilled } from "./unfilled.ts";
import {
  convertForStore,
  prepareReads,
  readAs,
  rememberRead,
  storeAs,
} from "../cluster/versions.ts";

const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const GENERATED_PREFIX_MAX = 58;
const GENERATE_TRIES = 8;

/** How the object of a create came to be. */
export interface CreateOptions extends WriteOptions {
  /** The object already says who owns what: an apply. */
  readonly ownedAlready?: boolean;
}

/**
 * Stores a new object and returns it as `resource` shows it.
 *
 * @param object - decoded, in the version of `resource`; it is changed
 * @param namespace - of the request; empty for cluster-scoped resources
 * @throws StatusError
 */
export async function createObject(
  cluster: Cluster,
  resource: ServedResource,
  namespace: string,
  object: SentObject,
  options: CreateOptions,
): Promise<SentObject> {
  matchNamespace(resource, namespace, object);
  wipeSystemMetadata(object.metadata, options.ownedAlready === true);
  dedupOwners(object.metadata, options.warn);
  resource.strategy.setDefaults(object, { keepNulls: options.ownedAlready === true });
  if (!options.ownedAlready) {
    trackChange(cluster, mainEndpoint(resource), undefined, object, options.manager);
  }
  admitToNamespace(cluster, resource, namespace, object);
  const key = { namespace, name: object.metadata.name ?? "" };
  const endpoint = mainEndpoint(resource);
  const admit = (one: SentObject): void => {
    resource.strategy.admit?.(one, writeContext(cluster, options));
  };
  const request = admissionRequest(endpoint, "CREATE", key, { object }, options);
  const mutation = cluster.admission.mutate(request, admit);
  if (!mutation) admit(object);
  const admitted = mutation ? ((await mutation) ?? object) : object;
  if (admitted !== object) {
    matchNamespace(resource, namespace, admitted);
    dedupOwners(admitted.metadata, options.warn, " after mutating admission happens");
  }
  checkEscalation(cluster, endpoint, admitted, undefined, options.user);
  const isWhole = admitted === object && !options.ownedAlready;
  return storeNew(cluster, resource, key, admitted, options, isWhole);
}

/** Nothing new in a namespace that is not there, or going. */
function admitToNamespace(
  cluster: Cluster,
  resource: ServedResource,
  namespace: string,
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

/**
 * @param asked - the key that the request named; the name is empty for one that is to be generated
 * @param isWhole - all defaults are set, and no null stands where there should be none
 */
async function storeNew(
  cluster: Cluster,
  resource: ServedResource,
  asked: { readonly namespace: string; readonly name: string },
  object: SentObject,
  options: WriteOptions,
  isWhole: boolean,
): Promise<SentObject> {
  const { store, clock } = cluster;
  const { namespace } = asked;
  const metadata = object.metadata;
  const collection = collectionOf(resource);
  const generated = (metadata.name ?? "") === "" && (metadata.generateName ?? "") !== "";
  if (generated) {
    const isFree = (name: string): boolean => !store.get(collection, storeKey(namespace, name));
    metadata.name = generateName(metadata.generateName ?? "", isFree, clock);
  }
  setSystemMetadata(cluster, metadata);
  const { context, tellWarnings } = checkContext(cluster, resource, options);
  resource.strategy.prepareForCreate(object, context);
  if (!resource.builtIn && object.kind !== resource.kind) {
    const kind = { group: resource.group, kind: object.kind };
    const wrongKind = resource.strategy.validateCreate(object, context);
    throw invalid(kind, metadata.name ?? "", wrongKind);
  }
  const metadataErrors = validateObjectMeta(
    metadata,
    resource.namespaced,
    (name, prefix) => {
      const wrong = resource.strategy.validateName(name, prefix);
      // Names that a kind does not check at least fit into a path.
      return wrong.length > 0 ? wrong : pathSegmentErrors(name, prefix);
    },
    { strictFinalizers: hasStrictFinalizers(resource) },
  );
  const errors = createErrors(
    resource,
    metadataErrors,
    resource.strategy.validateCreate(object, { ...context, metadataErrors }),
  );
  if (errors.length > 0) {
    throw invalid(errorKindOf(resource.group, resource.kind), metadata.name ?? "", errors);
  }
  tellWarnings();
  const name = metadata.name ?? "";
  // A webhook that renamed the object does not change what the request was about.
  const key = { namespace, name: asked.name === "" ? name : asked.name };
  const endpoint = mainEndpoint(resource);
  const validation = cluster.admission.validate(
    admissionRequest(endpoint, "CREATE", key, { object }, options),
  );
  if (validation) await validation;
  const isUnfilled = resource.traits?.lacksDefault?.(object) ?? false;
  // What is new is read back from the store, and gets defaults on the way.
  if (resource.builtIn) resource.strategy.setDefaults(object);
  if (!options.dryRun) checkVersionIsUnset(metadata);
  resource.dropUnknown?.(object);
  const converted = convertForStore(cluster, resource, object);
  const inStore = converted ? await converted : undefined;
  const existing = store.get(collection, storeKey(namespace, name));
  if (existing) throw taken(resource, existing, (metadata.generateName ?? "") !== "");
  const stored = withoutEmptied(inStore ?? storeAs(resource, object));
  checkSize(stored);
  const kept = options.dryRun ? stored : store.put(collection, stored);
  if (isUnfilled) noteUnfilled(kept);
  // A status that was not the client's to set has its default when the object is read.
  const statusHasDefault = resource.schema.properties?.["status"]?.default !== undefined;
  if (isWhole && !statusHasDefault) rememberRead(resource, kept);
  const prepared = prepareReads(cluster, resource, [kept]);
  if (prepared) await prepared;
  return readAs(cluster, resource, kept);
}

/** Drops what only the server may say; an apply that creates may say that a deletion has begun. */
function wipeSystemMetadata(metadata: ObjectMeta, isApplied: boolean): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete (metadata as { selfLink?: string }).selfLink;
  if (isApplied) return;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/** Gives the object its identity. */
function setSystemMetadata({ clock }: Cluster, metadata: ObjectMeta): void {
  metadata.uid = randomUid(clock);
  metadata.creationTimestamp = timestamp(clock);
}

/** @throws StatusError 500, as the storage words it */
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

/** A prefix and five characters that spell no words; the last of several tries when all are taken. */
function generateName(prefix: string, isFree: (name: string) => boolean, clock: Clock): string {
  // The limit counts bytes; a character that it cuts is none.
  const start = Buffer.from(prefix).toString("utf8", 0, GENERATED_PREFIX_MAX);
  let name: string;
  let tries = 0;
  do {
    name = start;
    for (let count = 0; count < SUFFIX_LENGTH; count++) {
      name += SUFFIX_LETTERS[Math.floor(clock.random() * SUFFIX_LETTERS.length)] ?? "";
    }
    tries++;
  } while (tries < GENERATE_TRIES && !isFree(name));
  return name;
}
