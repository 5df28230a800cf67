/**
 * The URLs of the Kubernetes API.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import type { ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";

/** `/api/v1` or `/apis/group/version`. */
export function groupVersionPath(group: string, version: string): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Where the objects of a kind are: in one namespace, or in all when there is none given. */
export function collectionPath(resource: ResourceInfo, namespace?: string): string {
  const root = groupVersionPath(resource.group, resource.version);
  return resource.namespaced && namespace
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource.plural}`
    : `${root}/${resource.plural}`;
}

/**
 * The key of an object of the kind: without a namespace where the kind has none.
 *
 * @throws TsopError `key-without-namespace`, `key-without-name`: it would mean something else
 */
export function keyIn(resource: ResourceInfo, key: ObjectKey): ObjectKey {
  if (key.name === "") {
    throw new TsopError(
      "key-without-name",
      `A ${resource.kind} is asked for without a name.`,
      "Give the key a name; to see several objects use `list`.",
    );
  }
  if (resource.namespaced && !key.namespace) {
    throw new TsopError(
      "key-without-namespace",
      `The ${resource.kind} ${key.name} is asked for without a namespace, and the kind lives in namespaces.`,
      "Give the key a namespace.",
    );
  }
  return resource.namespaced || !key.namespace ? key : { name: key.name };
}

/**
 * Where one object is.
 *
 * @throws TsopError `key-without-namespace`, `key-without-name`
 */
export function objectPath(resource: ResourceInfo, key: ObjectKey, subresource?: string): string {
  const { namespace, name } = keyIn(resource, key);
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
