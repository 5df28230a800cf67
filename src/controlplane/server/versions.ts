/**
 * The same stored object as each served version shows it.
 *
 * @module
 */
import { copyJson } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { convertVersion } from "../builtin/kind-versions.ts";
import type { ServedResource } from "../kinds.ts";
import type { Registry } from "./registry.ts";
import { deepFreeze } from "../store/store.ts";

const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;

const shown = new WeakMap<ServedResource, WeakMap<KubeObject, KubeObject>>();

/**
 * A stored object as `resource` shows it, frozen: in its version, with today's defaults. A built-in object in
 * its own version is the stored one itself.
 */
export function readAs(
  { registry }: { readonly registry: Registry },
  resource: ServedResource,
  object: KubeObject,
): KubeObject {
  const apiVersion = apiVersionOf(resource);
  if (resource.builtIn && object.apiVersion === apiVersion) return object;
  let known = shown.get(resource);
  if (!known) shown.set(resource, (known = new WeakMap()));
  const before = known.get(object);
  if (before) return before;
  const result = deepFreeze(
    resource.builtIn
      ? (convertVersion(asJson(object), apiVersion) as unknown as KubeObject)
      : customAs(registry, resource, object, apiVersion),
  );
  known.set(object, result);
  return result;
}

/** With the defaults of the stored version, and without what the shown version does not know. */
function customAs(
  registry: Registry,
  resource: ServedResource,
  object: KubeObject,
  apiVersion: string,
): KubeObject {
  const copy = copyJson(object);
  const stored = registry.find(resource.group, resource.storageVersion, resource.plural);
  (resource.storage ?? stored?.strategy)?.setDefaults(copy);
  if (copy.apiVersion === apiVersion) return copy;
  copy.apiVersion = apiVersion;
  resource.dropUnknown?.(copy);
  return copy;
}

/** An object of a served version, as it is to be stored. */
export function storeAs(resource: ServedResource, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf({ group: resource.group, version: resource.storageVersion });
  if (object.apiVersion === apiVersion) return object;
  if (!resource.storage) return convertVersion(asJson(object), apiVersion) as unknown as KubeObject;
  // What the version of the store does not know is lost here.
  const copy = { ...copyJson(object), apiVersion };
  resource.storage.setDefaults(copy);
  return copy;
}
