/**
 * The object of a BOOKMARK event: nothing but a version.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { ServedResource } from "../kinds.ts";

/** A bookmark at `version`. */
export function bookmarkObject(
  resource: ServedResource,
  version: number,
  annotations?: Record<string, string>,
): KubeObject {
  return {
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(version),
      ...(annotations ? { annotations } : {}),
    },
  };
}
