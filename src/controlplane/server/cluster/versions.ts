/** Stored objects, read in each served version. */
import { asObject, copyJson, sameJson, asJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import { StatusError } from "../../../kube/status.ts";
import { withoutEmptied } from "../../builtin/go/emptied.ts";
import { convertVersion } from "../../builtin/kind-versions.ts";
import type { ConvertObject } from "../../admission/attributes.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Conversion } from "./conversion.ts";
import { internalError, notInitialised, plainError } from "../../failures.ts";
import { type Registry } from "./registry.ts";
import { collectionOf } from "../../resource-name.ts";
import { type Store, deepFreeze } from "../../store/store.ts";

/** The parts of a cluster by which objects are converted. */
interface Converters {
  readonly registry: Registry;
  readonly conversion: Conversion;
}

const shown = new WeakMap<ServedResource, WeakMap<SentObject, SentObject>>();

/** Thrown for an object that a webhook must convert first; `converting` calls it. */
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
 * A stored object as `resource` shows it, frozen: in its version, with current defaults. A built-in
 * object in its own version is the stored one itself. An object that a webhook converts must be
 * prepared first: by `prepareReads` for an object at hand, by `converting` for one that is looked
 * up.
 */
export function readAs(
  { registry }: Pick<Converters, "registry">,
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

/** The last result of `readNow` for an object, which stays valid until the object changes. */
const relabelled = new WeakMap<SentObject, SentObject>();

const isForWebhook = (resource: ServedResource, object: SentObject): boolean =>
  resource.conversion !== undefined && object.apiVersion !== apiVersionOf(resource);

/**
 * `readAs` for the simulated controllers, which cannot wait for a webhook and look at metadata: an
 * object that was not converted has the fields of its stored version.
 */
export function readNow(
  cluster: Pick<Converters, "registry">,
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
 * Looks objects up and reads them, and starts again when one had to be converted first: during the
 * webhook call, other writes happen.
 *
 * @param failed - handles the failure of the webhook
 */
export async function converting<T>(
  cluster: Converters,
  read: () => T,
  failed: (error: unknown, resource: ServedResource, object: SentObject) => unknown = (error) =>
    error,
): Promise<T> {
  for (;;) {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof Unconverted)) throw thrown;
      try {
        await prepareReads(cluster, thrown.resource, [thrown.object]);
      } catch (error) {
        throw failed(error, thrown.resource, thrown.object);
      }
    }
  }
}

/** Remembers that an object was stored as `resource` shows it: with defaults, in its version. */
export function rememberRead(resource: ServedResource, object: SentObject): void {
  if (!resource.builtIn && object.apiVersion === apiVersionOf(resource)) {
    knownReads(resource).set(object, object);
  }
}

/**
 * Lets the webhook of a kind convert objects that are about to be read, so that `readAs` finds
 * them; does nothing where no conversion is needed.
 *
 * @throws StatusError 500 when the webhook fails
 */
export function prepareReads(
  { registry, conversion }: Converters,
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
 * `converting` for a list of a collection. On a real server, a failed conversion keeps the watch
 * cache from being filled.
 *
 * @param isPaged - without selectors and with a limit: read past the cache
 * @throws StatusError 429 when a webhook fails, or 500 for a page; whatever `read` throws
 */
export async function convertingList<T>(
  cluster: Converters & { readonly store: Store },
  resource: ServedResource,
  namespace: string,
  isPaged: boolean,
  read: () => T,
): Promise<T> {
  if (!resource.conversion) return read();
  const failed = (error: unknown): unknown =>
    isPaged || !(error instanceof StatusError) ? error : notInitialised(resource, error.message);
  try {
    await prepareReads(cluster, resource, cluster.store.list(collectionOf(resource), namespace));
  } catch (error) {
    throw failed(error);
  }
  return converting(cluster, read, failed);
}

/** Says that a stored object was not converted, to a write. */
function undecodable(error: unknown, { metadata }: SentObject): unknown {
  if (!(error instanceof StatusError)) return error;
  const { resourceVersion = "" } = metadata;
  return plainError(`object not decodable revision=${resourceVersion}: ${error.message}`);
}

/** Says that a stored object was not converted, to a read or a deletion of it. */
export function corrupt(error: unknown, resource: ServedResource, object: SentObject): unknown {
  const told = undecodable(error, object);
  if (!(told instanceof StatusError)) return told;
  const { namespace = "", name = "" } = object.metadata;
  const key = [resource.group, resource.plural, namespace, name].filter((part) => part !== "");
  return internalError(
    `StorageError: corrupt object, Code: 7, Key: /${key.join("/")}, ResourceVersion: 0, AdditionalErrorMsg: ${told.message}`,
  );
}

function knownReads(resource: ServedResource): WeakMap<SentObject, SentObject> {
  let known = shown.get(resource);
  if (!known) shown.set(resource, (known = new WeakMap()));
  return known;
}

/** The object with the defaults of the stored version, without fields unknown to the shown one. */
function customAs(
  registry: Registry,
  resource: ServedResource,
  object: SentObject,
  apiVersion: string,
): SentObject {
  const copy = copyJson(object);
  setStoredDefaults(registry, resource, copy);
  // Most objects need no change: then there is no second copy in memory.
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

/**
 * A stored object as `resource` shows it, converted by the webhook of its kind if necessary.
 * @throws StatusError 500
 */
export async function shownAs(
  cluster: Converters,
  resource: ServedResource,
  stored: SentObject,
): Promise<SentObject> {
  const read = (): SentObject => readAs(cluster, resource, stored);
  return converting(cluster, read, (error) => undecodable(error, stored));
}

/**
 * An object of a served version in its stored form, without the fields that were sent empty.
 *
 * @throws StatusError 500 when a webhook must convert it and fails
 */
export async function toStore(
  { conversion }: Converters,
  resource: ServedResource,
  object: SentObject,
): Promise<SentObject> {
  const { conversion: webhook, storage } = resource;
  const apiVersion = storedVersion(resource);
  if (!webhook || object.apiVersion === apiVersion)
    return withoutEmptied(storeAs(resource, object));
  const converted = await conversion.convert(webhook, object, apiVersion);
  storage?.dropUnknown(converted);
  return withoutEmptied(converted);
}

const storedVersion = ({ group, storageVersion }: ServedResource): string =>
  apiVersionOf({ group, version: storageVersion });

/** An object of a served version in its stored form, without a webhook. */
export function storeAs(resource: ServedResource, object: SentObject): SentObject {
  const apiVersion = storedVersion(resource);
  if (object.apiVersion === apiVersion) return object;
  if (!resource.storage) return asObject(convertVersion(asJson(object), apiVersion));
  // Fields that the stored version does not know are lost here; its defaults are set when it is
  // read.
  const copy = { ...copyJson(object), apiVersion };
  resource.storage.dropUnknown(copy);
  return copy;
}

/** A stored object as a write without changes in the version of `resource` stores it. */
export async function rewritten(
  cluster: Converters,
  resource: ServedResource,
  stored: SentObject,
): Promise<SentObject> {
  if (resource.builtIn || stored.apiVersion === apiVersionOf(resource)) return stored;
  return toStore(cluster, resource, readAs(cluster, resource, stored));
}

/** The conversion of objects between the versions of their resource, for admission. */
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
