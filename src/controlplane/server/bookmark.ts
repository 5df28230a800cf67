/**
 * The object of a BOOKMARK event: nothing but a version, and what Go prints of an empty object.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { zeroObject } from "../builtin/zero-object.ts";
import type { ServedResource } from "../kinds.ts";

/** A bookmark at `version`. */
export function bookmarkObject(
  resource: ServedResource,
  version: number,
  annotations?: Record<string, string>,
): KubeObject {
  return {
    ...(resource.builtIn ? zeroObject(resource) : {}),
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(version),
      ...(annotations ? { annotations } : {}),
    },
  };
}
