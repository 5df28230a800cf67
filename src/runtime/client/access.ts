/**
 * Asks the API server what a client may do.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
import type { SentObject } from "../../kube/object.ts";
import type { ResourceInfo, ResourceType } from "../../kube/resource.ts";
import type { Client } from "./client.ts";
import { present } from "../../present.ts";

interface AccessReview extends SentObject {
  spec: object;
  status?: { allowed?: boolean };
}

const ACCESS_REVIEW: ResourceType<AccessReview> = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  namespaced: false,
};

/** The access to check: a verb on a resource. */
export interface WantedAccess {
  readonly verb: string;
  readonly resource: ResourceInfo;
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  /** One object; all when absent. */
  readonly name?: string | undefined;
}

/** The access to a kind that an operator is about to need. */
export interface PlannedAccess {
  readonly resource: ResourceInfo;
  /** All namespaces when absent. */
  readonly namespace?: string;
  /** One object; all when absent. */
  readonly name?: string;
  readonly verbs: readonly string[];
  /** The remedy for missing access, as a sentence without its full stop; a marker when absent. */
  readonly advice?: string;
}

/**
 * Whether the user of `client` may do that; `undefined`: the server does not say.
 *
 * @throws StatusError, ConnectionError
 */
export async function isAllowed(
  client: Client,
  { verb, resource, namespace = "", name }: WantedAccess,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { group, version, plural } = resource;
  const resourceAttributes = {
    verb,
    group,
    version,
    resource: plural,
    namespace,
    ...present({ name }),
  };
  const review = { spec: { resourceAttributes } };
  const options = signal ? { signal } : {};
  const { status } = await client.create(ACCESS_REVIEW, review, options);
  return status?.allowed;
}
