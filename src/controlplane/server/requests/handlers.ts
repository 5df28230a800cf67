/** The handlers of requests to resources, by verb, resource and subresource. */
import { groupResourceOf } from "../../../kube/resource.ts";
import { connectRequest, podLog } from "./connect-requests.ts";
import { patchRequest } from "./patch-requests.ts";
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

/**
 * The handlers by `resource/subresource verb`, where `*` stands for any resource, or any verb; those
 * of ordinary requests by their verb alone.
 */
const HANDLERS: Readonly<Record<string, RequestHandler>> = {
  get: getRequest,
  list: listRequest,
  watch: watchRequest,
  create: createRequest,
  update: updateRequest,
  patch: patchRequest,
  delete: deleteRequest,
  deletecollection: deleteCollectionRequest,
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
  ...REVIEW_HANDLERS,
};

/** The handler of a request; `undefined` when nothing has that verb. */
export function handlerOf(
  { resource, subresource }: Pick<ResourceRequest, "resource" | "subresource">,
  verb: string,
): RequestHandler | undefined {
  const part = subresource ? `/${subresource.name}` : "";
  const name = groupResourceOf(resource);
  return (
    HANDLERS[`${name}${part} ${verb}`] ??
    HANDLERS[`*${part} ${verb}`] ??
    HANDLERS[`${name}${part} *`] ??
    HANDLERS[`*${part} *`] ??
    HANDLERS[verb]
  );
}
