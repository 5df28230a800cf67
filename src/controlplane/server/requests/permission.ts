/** Checks that the user of a request is allowed to make it. */
import { authorize, denial } from "../../auth/authorizer.ts";
import type { Attributes } from "../../request-attributes.ts";
import type { User } from "../../kinds.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { ResourceRequest } from "./request.ts";

/** @throws StatusError 403 */
export function permit({ store }: Cluster, user: User, attributes: Attributes): void {
  const { allowed, reason } = authorize(store, user, attributes);
  if (!allowed) throw denial(user, attributes, reason);
}

/** Checks the right to create, for a PUT or an apply that creates. @throws StatusError 403 */
export function permitCreate(cluster: Cluster, asked: ResourceRequest): void {
  const { resource, request, namespace, name } = asked;
  permit(cluster, request.user, {
    verb: "create",
    group: resource.group,
    version: resource.version,
    resource: resource.plural,
    subresource: "",
    namespace,
    name,
  });
}
