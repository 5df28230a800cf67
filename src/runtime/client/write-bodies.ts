/** Bodies of write requests. */
import type { WrittenMeta } from "../../kube/input.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { assertNotPartial } from "../rest/partial-objects.ts";
import type { DeleteOptions } from "./client.ts";
import type { RestRequest } from "../rest/rest-client.ts";

/** A copy with its apiVersion and kind. */
export function typed(
  object: { metadata?: WrittenMeta | undefined },
  resource: ResourceInfo,
): { apiVersion: string; kind: string; metadata: WrittenMeta } {
  assertNotPartial(object, resource.kind);
  return {
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { ...object.metadata },
  };
}

/** The options of a deletion, as its body. */
export function deletion(options: DeleteOptions): Pick<RestRequest, "body" | "signal"> {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  return {
    body: {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy,
      gracePeriodSeconds,
      preconditions,
      ...(dryRun ? { dryRun: ["All"] } : {}),
    },
    signal: options.signal,
  };
}
