/**
 * The empty object of a built-in kind, as Go encodes an empty struct: the fields that are always
 * present.
 *
 * A create is compared with it, which decides whether `metadata.managedFields` lists a container
 * itself.
 */
import { asJson } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { GroupVersionKind } from "./definitions.ts";
import { rulesOf } from "./kinds/kind-table.ts";
import { normaliseShape } from "./go/shape.ts";

/**
 * The empty object of the kind, with empty metadata; only its type for a kind that is not built in.
 */
export function zeroObject(gvk: GroupVersionKind): JsonObject {
  const object: SentObject = { apiVersion: apiVersionOf(gvk), kind: gvk.kind, metadata: {} };
  normaliseShape(object);
  const zero = asJson(object);
  const { spec, ...rest } = rulesOf(gvk.group, gvk.kind)?.writtenNulls ?? {};
  return {
    ...zero,
    ...rest,
    ...(spec ? { spec: { ...(zero["spec"] as JsonObject), ...spec } } : {}),
  };
}
