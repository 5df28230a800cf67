/** The URLs of the Kubernetes API. */
import { TsopError } from "../../errors.ts";
import { pathSegmentErrors } from "../../kube/names.ts";
import type { ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";

/**
 * A part of a path, escaped.
 *
 * @throws TsopError `name-not-in-path` for a segment that would change the path, as in client-go:
 *   `..` is the parent
 */
function segment(what: string, value: string): string {
  const [error] = value === "" ? ["must not be empty"] : pathSegmentErrors(value);
  const problem =
    error ??
    (NOT_IN_NAMES.test(value) ? "has a character that is not allowed in names" : undefined);
  if (problem === undefined) return encodeURIComponent(value);
  throw new TsopError(
    "name-not-in-path",
    `The ${what} ${JSON.stringify(value)} ${problem}.`,
    "Check its source: an empty or wrong field, or user input.",
  );
}

// oxlint-disable-next-line no-control-regex -- these characters are in no name
const NOT_IN_NAMES = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;

/** `/api/v1` or `/apis/group/version`. @throws TsopError `name-not-in-path` */
export function groupVersionPath(group: string, version: string): string {
  const last = segment("version", version);
  return group === "" ? `/api/${last}` : `/apis/${segment("group", group)}/${last}`;
}

/** The path of the objects of a kind: in one namespace, or in all when none is given. */
export function collectionPath(resource: ResourceInfo, namespace?: string): string {
  const root = groupVersionPath(resource.group, resource.version);
  return resource.namespaced && namespace
    ? `${root}/namespaces/${segment("namespace", namespace)}/${segment("resource", resource.plural)}`
    : `${root}/${segment("resource", resource.plural)}`;
}

/**
 * The key of an object of the kind: without a namespace for a cluster-scoped kind.
 *
 * @throws TsopError `key-without-namespace`, `key-without-name`: the path would be that of
 *   something else
 */
export function keyIn(resource: ResourceInfo, key: ObjectKey): ObjectKey {
  if (key.name === "") {
    throw new TsopError(
      "key-without-name",
      `A request for a ${resource.kind} has no name.`,
      "Give the key a name, or use `list` to read several objects.",
    );
  }
  if (resource.namespaced && !key.namespace) {
    throw new TsopError(
      "key-without-namespace",
      `A request for the ${resource.kind} ${key.name} has no namespace, but the kind is namespaced.`,
      "Give the key a namespace.",
    );
  }
  return resource.namespaced || !key.namespace ? key : { name: key.name };
}

/**
 * The path of one object.
 *
 * @throws TsopError `key-without-namespace`, `key-without-name`, `name-not-in-path`
 */
export function objectPath(resource: ResourceInfo, key: ObjectKey, subresource?: string): string {
  const { namespace, name } = keyIn(resource, key);
  const path = `${collectionPath(resource, namespace)}/${segment("name", name)}`;
  return subresource === undefined ? path : `${path}/${segment("subresource", subresource)}`;
}
