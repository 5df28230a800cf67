/** The object of a BOOKMARK event: only a version, and Go's output of an empty object. */
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import { zeroObject } from "../../builtin/zero-object.ts";
import type { ServedResource } from "../../kinds.ts";

/** The fields that an empty object gains in its conversion from the server's internal form. */
const CONVERTED_SPEC: Readonly<Record<string, JsonObject>> = {
  Deployment: { replicas: 0 },
  ReplicaSet: { replicas: 0 },
  StatefulSet: { replicas: 0 },
};
const CONVERTED_ANNOTATIONS: Readonly<Record<string, Record<string, string>>> = {
  DaemonSet: { "deprecated.daemonset.template.generation": "0" },
};

/** A bookmark at `version`. */
export function bookmarkObject(
  resource: ServedResource,
  version: number,
  annotations?: Record<string, string>,
): SentObject {
  const { kind, builtIn } = resource;
  const all = { ...(builtIn ? CONVERTED_ANNOTATIONS[kind] : {}), ...annotations };
  return {
    ...(builtIn ? zeroOf(resource) : {}),
    kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(version),
      ...(Object.keys(all).length > 0 ? { annotations: all } : {}),
    },
  };
}

// Memos, not state: the results for a resource, and a version, never change.
const zeros = new WeakMap<ServedResource, JsonObject>();
const latest = new WeakMap<ServedResource, SentObject>();

/** The bookmark of all watches of a resource at `version`: the same object for each of them. */
export function plainBookmark(resource: ServedResource, version: number): SentObject {
  let bookmark = latest.get(resource);
  if (bookmark?.metadata.resourceVersion !== String(version)) {
    bookmark = bookmarkObject(resource, version);
    latest.set(resource, bookmark);
  }
  return bookmark;
}

function zeroOf(resource: ServedResource): JsonObject {
  const known = zeros.get(resource);
  if (known) return known;
  const zero = zeroObject(resource);
  const spec = CONVERTED_SPEC[resource.kind];
  if (spec) zero["spec"] = { ...(zero["spec"] as JsonObject), ...spec };
  zeros.set(resource, zero);
  return zero;
}
