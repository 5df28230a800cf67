/**
 * The same stored object as each served version shows it.
 *
 * @module
 */
import { asObject, copyJson, sameJson, asJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import { StatusError } from "../../../kube/status.ts";
import { convertVersion } from "../../builtin/kind-versions.ts";
import type { ConvertObject } from "../../admission/attributes.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Conversion } from "./conversion.ts";
import { notInitialised } from "../../failures.ts";
import { type Registry } from "./registry.ts";
import { collectionOf } from "../../resource-name.ts";
import { type Store, deepFreeze } from "../../store/store.ts";

const shown = new WeakMap<ServedResource, WeakMap<SentObject, SentObject>>();

/** Thrown where an object is to be read that a webhook has to convert first; `converting` has it asked. */
class Unconverted extends Error {
  readonly resource: ServedResource;
  readonly object: SentObject;

  constructor(resource: ServedResource, object: SentObject) {
    super(`${object.kind} ${object.metadata.name ?? ""} has to be converted first`);
    this.resource = resource;
    this.object = object;
  }
}

/**
 * A stored object as `resource` shows it, frozen: in its version, with today's defaults. A built-in object in
 * its own version is the stored one itself. What a webhook converts must have been prepared: `prepareReads` for an object
 * at hand, `converting` for what is looked up.
 */
export function readAs(
  { registry }: { readonly registry: Registry },
  resource: ServedResource,
  object: SentObject,
): SentObject {
  const apiVersion = apiVersionOf(resource);
  if (resource.builtIn && object.apiVersion === apiVersion) return object;
  const known = knownReads(resource);
  const before = known.get(object);
  if (before) return before;
  if (isForWebhook(resource, object)) throw new Unconverted(resource, object);
  const result = deepFreeze(
    resource.builtIn
      ? asObject(convertVersion(asJson(object), apiVersion))
      : customAs(registry, resource, object, apiVersion),
  );
  known.set(object, result);
  return result;
}

/** What `readNow` gave last for an object: it is the same until the object changes. */
const relabelled = new WeakMap<SentObject, SentObject>();

const isForWebhook = (resource: ServedResource, object: SentObject): boolean =>
  resource.conversion !== undefined && object.apiVersion !== apiVersionOf(resource);

/**
 * `readAs` for the simulated controllers, which cannot wait for a webhook and look at metadata: what was not converted has
 * the fields of its stored version.
 */
export function readNow(
  cluster: { readonly registry: Registry },
  resource: ServedResource,
  object: SentObject,
): SentObject {
  if (!isForWebhook(resource, object)) return readAs(cluster, resource, object);
  const converted = knownReads(resource).get(object);
  if (converted) return converted;
  const before = relabelled.get(object);
  if (before?.apiVersion === apiVersionOf(resource)) return before;
  const result = deepFreeze({ ...copyJson(object), apiVersion: apiVersionOf(resource) });
  relabelled.set(object, result);
  return result;
}

/**
 * Looks objects up and reads them, and begins again when one of them had to be converted first: while a webhook is asked,
 * others write.
 *
 * @param failed - what it means when the webhook fails
 */
export async function converting<T>(
  cluster: { readonly registry: Registry; readonly conversion: Conversion },
  read: () => T,
  failed: (error: unknown) => unknown = (error) => error,
): Promise<T> {
  for (;;) {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof Unconverted)) throw thrown;
      try {
        await prepareReads(cluster, thrown.resource, [thrown.object]);
      } catch (error) {
        throw failed(error);
      }
    }
  }
}

/**
 * Notes that an object was just stored as `resource` shows it: with its defaults, in its version.
 */
export function rememberRead(resource: ServedResource, object: SentObject): void {
  if (!resource.builtIn && object.apiVersion === apiVersionOf(resource)) {
    knownReads(resource).set(object, object);
  }
}

/**
 * Has the webhook of a kind convert what is about to be read, so that `readAs` finds it; nothing where nothing
 * has to be asked.
 *
 * @throws StatusError 500 when the webhook fails
 */
export function prepareReads(
  { registry, conversion }: { readonly registry: Registry; readonly conversion: Conversion },
  resource: ServedResource,
  objects: readonly SentObject[],
): Promise<void> | undefined {
  const { conversion: webhook } = resource;
  if (!webhook) return undefined;
  const apiVersion = apiVersionOf(resource);
  const known = knownReads(resource);
  const missing = objects.filter(
    (object) => object.apiVersion !== apiVersion && !known.has(object),
  );
  if (missing.length === 0) return undefined;
  const convert = async (object: SentObject): Promise<void> => {
    const copy = copyJson(object);
    setStoredDefaults(registry, resource, copy);
    const converted = await conversion.convert(webhook, copy, apiVersion);
    resource.dropUnknown?.(converted);
    known.set(object, deepFreeze(converted));
  };
  return Promise.all(missing.map(convert)).then(() => undefined);
}

/**
 * `converting` for a list of a collection. The real server cannot fill its cache with what fails.
 *
 * @param isPaged - without selectors and with a limit: read past the cache
 * @throws StatusError 429 when a webhook fails, or 500 for a page; what `read` throws
 */
export async function convertingList<T>(
  cluster: { readonly registry: Registry; readonly conversion: Conversion; readonly store: Store },
  { resource, namespace, isPaged }: ListPlace,
  read: () => T,
): Promise<T> {
  const failed = (error: unknown): unknown =>
    isPaged || !(error instanceof StatusError) ? error : notInitialised(resource, error.message);
  try {
    await prepareReads(cluster, resource, cluster.store.list(collectionOf(resource), namespace));
  } catch (error) {
    throw failed(error);
  }
  return converting(cluster, read, failed);
}

/** What is listed. */
interface ListPlace {
  readonly resource: ServedResource;
  readonly namespace: string;
  readonly isPaged: boolean;
}

function knownReads(resource: ServedResource): WeakMap<SentObject, SentObject> {
  let known = shown.get(resource);
  if (!known) shown.set(resource, (known = new WeakMap()));
  return known;
}

/** With the defaults of the stored version, and without what the shown version does not know. */
function customAs(
  registry: Registry,
  resource: ServedResource,
  object: SentObject,
  apiVersion: string,
): SentObject {
  const copy = copyJson(object);
  setStoredDefaults(registry, resource, copy);
  // Most objects need nothing: then there is no second one in memory.
  if (copy.apiVersion === apiVersion) return sameJson(copy, object) ? object : copy;
  copy.apiVersion = apiVersion;
  resource.dropUnknown?.(copy);
  return copy;
}

function setStoredDefaults(registry: Registry, resource: ServedResource, object: SentObject): void {
  const { group, storageVersion, plural } = resource;
  const stored = registry.find(group, storageVersion, plural);
  (resource.storage ?? stored?.strategy)?.setDefaults(object);
}

/** A stored object as `resource` shows it, converted by the webhook of its kind if need be. @throws StatusError 500 */
export async function shownAs(
  cluster: { readonly registry: Registry; readonly conversion: Conversion },
  resource: ServedResource,
  stored: SentObject,
): Promise<SentObject> {
  const prepared = prepareReads(cluster, resource, [stored]);
  if (prepared) await prepared;
  return readAs(cluster, resource, stored);
}

/** An object of a served version as it is to be stored, when a webhook has to be asked for that. */
export function convertForStore(
  { conversion }: { readonly conversion: Conversion },
  resource: ServedResource,
  object: SentObject,
): Promise<SentObject> | undefined {
  const apiVersion = apiVersionOf({ group: resource.group, version: resource.storageVersion });
  const { conversion: webhook, storage } = resource;
  if (!webhook || object.apiVersion === apiVersion) return undefined;
  return conversion.convert(webhook, object, apiVersion).then((converted) => {
    storage?.dropUnknown(converted);
    return converted;
  });
}

/** An object of a served version, as it is to be stored. */
export function storeAs(resource: ServedResource, object: SentObject): SentObject {
  const apiVersion = apiVersionOf({ group: resource.group, version: resource.storageVersion });
  if (object.apiVersion === apiVersion) return object;
  if (!resource.storage) return asObject(convertVersion(asJson(object), apiVersion));
  // What the version of the store does not know is lost here; its defaults are set when it is read.
  const copy = { ...copyJson(object), apiVersion };
  resource.storage.dropUnknown(copy);
  return copy;
}

/** A stored object as it is stored by a write in the version of `resource` that changes nothing. */
export async function rewritten(
  cluster: { readonly registry: Registry; readonly conversion: Conversion },
  resource: ServedResource,
  stored: SentObject,
): Promise<SentObject> {
  if (resource.builtIn || stored.apiVersion === apiVersionOf(resource)) return stored;
  const shown = readAs(cluster, resource, stored);
  return (await convertForStore(cluster, resource, shown)) ?? storeAs(resource, shown);
}

/** Converts objects of requests between the versions of their resource: for admission. */
export function converterWith(conversion: Conversion): ConvertObject {
  return (object, from, to) => {
    const apiVersion = apiVersionOf(to);
    if (object.apiVersion === apiVersion) return object;
    if (from.builtIn) return asObject(convertVersion(asJson(object), apiVersion));
    const { conversion: webhook } = from;
    return webhook
      ? conversion.convert(webhook, object, apiVersion)
      : { ...copyJson(object), apiVersion, kind: to.kind };
  };
}
