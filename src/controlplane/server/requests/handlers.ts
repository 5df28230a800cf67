/** The handlers of requests to resources, by verb, resource and subresource. */
import { groupResourceOf } from "../../../kube/resource.ts";
import { getComponentStatus, listComponentStatuses } from "./component-statuses.ts";
import { connectRequest } from "./connect-requests.ts";
import { patchRequest } from "./patch-requests.ts";
import { podLog } from "./pod-logs.ts";
import { bindRequest, evictRequest } from "./pod-requests.ts";
import { getRequest, listRequest, watchRequest } from "./read-requests.ts";
import type { RequestHandler } from "./presenter.ts";
import type { ResourceRequest } from "./request.ts";
import { REVIEW_HANDLERS } from "./reviews.ts";
import { getScale, patchScale, putScale } from "./scale-requests.ts";
import { tokenRequest } from "./token-requests.ts";
import {
  createRequest,
  deleteCollectionRequest,
  deleteRequest,
  updateRequest,
} from "./write-requests.ts";
import { tableOf } from "../../../table.ts";

/** The handlers of ordinary requests, by verb. */
const BY_VERB = tableOf<RequestHandler>({
  get: getRequest,
  list: listRequest,
  watch: watchRequest,
  create: createRequest,
  update: updateRequest,
  patch: patchRequest,
  delete: deleteRequest,
  deletecollection: deleteCollectionRequest,
});

/** The handlers of creates of what is not stored, by resource. */
const OF_CREATES: ReadonlyMap<string, RequestHandler> = new Map([
  ["bindings", bindRequest],
  ...Object.entries(REVIEW_HANDLERS),
]);

/** The handlers of reads of what is not stored, by resource and verb. */
const OF_READS = tableOf<Readonly<Record<string, RequestHandler>>>({
  componentstatuses: { get: getComponentStatus, list: listComponentStatuses },
});

/** The handlers of subresources that are no part of their object, by verb or for any verb. */
const OF_SUBRESOURCES = tableOf<RequestHandler | Readonly<Record<string, RequestHandler>>>({
  scale: { get: getScale, update: putScale, patch: patchScale },
  binding: { create: bindRequest },
  eviction: { create: evictRequest },
  token: { create: tokenRequest },
  log: { get: podLog },
  exec: connectRequest,
  attach: connectRequest,
  proxy: connectRequest,
  portforward: connectRequest,
});

/** The handler of a request; `undefined` when nothing has that verb. */
export function handlerOf(
  { resource, subresource }: Pick<ResourceRequest, "resource" | "subresource">,
  verb: string,
): RequestHandler | undefined {
  if (!subresource) {
    const name = groupResourceOf(resource);
    const special = verb === "create" ? OF_CREATES.get(name) : OF_READS.get(name)?.[verb];
    return special ?? BY_VERB.get(verb);
  }
  const own = OF_SUBRESOURCES.get(subresource.name);
  return (typeof own === "function" ? own : own?.[verb]) ?? BY_VERB.get(verb);
}
