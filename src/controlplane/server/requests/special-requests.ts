/** Requests that are neither plain reads nor plain writes, by resource and subresource. */
import { textAt } from "../../builtin/at.ts";
import { groupResourceOf } from "../../../kube/resource.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { connectRequest } from "./connect-requests.ts";
import { internalError } from "../../failures.ts";
import { getObject } from "../read/list.ts";
import { checkContainer, checkLogOptions } from "./pod-containers.ts";
import { bindRequest, evictRequest } from "./pod-requests.ts";
import type { Answer, Outcome, ResourceRequest } from "./request.ts";
import { isReview, reviewRequest } from "./reviews.ts";
import { getScale, patchScale, putScale } from "./scale-requests.ts";
import { tokenRequest } from "./token-requests.ts";

/** Answers a request to a resource. */
export type RequestHandler = (
  cluster: Cluster,
  asked: ResourceRequest,
) => Outcome | Promise<Outcome>;

/** The handlers by `resource/subresource verb`; `*` stands for any resource, or any verb. */
const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  "*/scale get": getScale,
  "*/scale update": putScale,
  "*/scale patch": patchScale,
  "bindings create": bindRequest,
  "pods/binding create": bindRequest,
  "pods/eviction create": evictRequest,
  "pods/log get": podLog,
  "pods/exec *": connectRequest,
  "pods/attach *": connectRequest,
  "*/proxy *": connectRequest,
  "pods/portforward *": connectRequest,
  "serviceaccounts/token create": tokenRequest,
};

/** The handler of a special request; `undefined` for ordinary ones. */
export function specialHandler(
  { resource, subresource }: Pick<ResourceRequest, "resource" | "subresource">,
  verb: string,
): RequestHandler | undefined {
  if (!subresource && verb === "create" && isReview(resource)) return reviewRequest;
  const part = subresource ? `/${subresource.name}` : "";
  const name = groupResourceOf(resource);
  return (
    HANDLERS[`${name}${part} ${verb}`] ??
    HANDLERS[`*${part} ${verb}`] ??
    HANDLERS[`${name}${part} *`] ??
    HANDLERS[`*${part} *`]
  );
}

/**
 * The log of a pod: empty before it has a node, an error on a simulated node, which has no logs.
 */
function podLog(cluster: Cluster, asked: ResourceRequest): Answer {
  checkLogOptions(asked.request.query, asked.name);
  const pod = getObject(cluster, asked.resource, asked.namespace, asked.name);
  checkContainer(pod, asked.request.query.get("container") ?? "");
  const nodeName = textAt(pod, "spec.nodeName");
  if (nodeName !== "") {
    throw internalError(
      `pod ${asked.name} runs on the simulated node ${nodeName}, which has no logs`,
    );
  }
  return { status: 204, headers: { "cache-control": "no-cache, private" }, body: "" };
}
