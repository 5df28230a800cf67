/**
 * `serviceaccounts/token`: tokens for service accounts.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
import { at } from "../../builtin/at.ts";
import { type FieldError, invalid, invalidValue } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { failure } from "../../../kube/status.ts";
import { type BoundObject, ISSUER } from "../../auth/tokens.ts";
import { storeKey } from "../../store/store.ts";
import { admissionRequest, admitSubresource } from "../write/admitted.ts";
import { readObject } from "./body.ts";
import { type Cluster, randomUid, timestamp } from "../cluster/cluster.ts";
import { badRequest, notFound } from "../../failures.ts";
import { getObject } from "../read/list.ts";
import { trackSubresource } from "../write/ownership.ts";
import { parseWriteQuery } from "./query.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { writeOptions } from "./write-requests.ts";

interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenRequest extends SentObject {
  spec?: {
    audiences?: string[] | null;
    expirationSeconds?: number | null;
    boundObjectRef?: ObjectReference | null;
  };
  status?: { token: string; expirationTimestamp: string | null };
}

const TOKEN_REQUEST = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
const DEFAULT_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

/** POST of a `TokenRequest`. */
export async function tokenRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { namespace, name, resource } = asked;
  const query = parseWriteQuery(asked.request.query, "create");
  const sent: TokenRequest = await readObject(asked, query);
  const account = getObject(cluster, resource, namespace, name);
  const options = writeOptions(asked, query);
  checkRequest(sent, name);
  const object = trackedRequest(cluster, sent, namespace, options.manager);
  const endpoint = { resource, subresource: "token", kind: TOKEN_REQUEST };
  const admission = admissionRequest({ endpoint, namespace, name, options }, "CREATE", { object });
  const admitted: TokenRequest = (await admitSubresource(cluster, admission)) ?? object;
  checkRequest(admitted, name);
  return { code: 201, object: answered(cluster, admitted, account) };
}

/** The request with its defaults and the managed fields of its sender. */
function trackedRequest(
  cluster: Cluster,
  { kind, apiVersion, spec }: TokenRequest,
  namespace: string,
  manager: string,
): TokenRequest {
  const { audiences, expirationSeconds, boundObjectRef } = spec ?? {};
  const seconds = expirationSeconds ?? DEFAULT_SECONDS;
  const object: TokenRequest = {
    kind,
    apiVersion,
    metadata: {},
    spec: {
      expirationSeconds: seconds,
      ...(audiences?.length ? { audiences } : {}),
      ...(boundObjectRef ? { boundObjectRef } : {}),
    },
  };
  trackSubresource(cluster, TOKEN_REQUEST, "token", object, manager);
  object.metadata.namespace = namespace;
  object.spec = {
    audiences: audiences?.length ? audiences : [ISSUER],
    boundObjectRef: boundObjectRef ?? null,
    expirationSeconds: seconds,
  };
  object.status = { token: "", expirationTimestamp: null };
  return object;
}

/** @throws StatusError for an object that a token cannot be bound to */
function answered(cluster: Cluster, request: TokenRequest, account: SentObject): TokenRequest {
  const { clock, tokens } = cluster;
  const { name = "", namespace = "", uid = "" } = account.metadata;
  const { audiences, expirationSeconds, boundObjectRef } = request.spec ?? {};
  const seconds = expirationSeconds ?? DEFAULT_SECONDS;
  const bound = boundObjectRef ? findBound(cluster, account, boundObjectRef) : undefined;
  const { managedFields } = request.metadata;
  return {
    ...request,
    spec: { ...request.spec, boundObjectRef: boundObjectRef ?? null },
    metadata: {
      ...(managedFields ? { managedFields } : {}),
      name,
      namespace,
      uid,
      creationTimestamp: timestamp(clock),
    },
    status: {
      token: tokens.issue(
        { namespace, name, uid },
        {
          audiences: audiences?.length ? audiences : [ISSUER],
          seconds,
          id: randomUid(clock),
          ...(bound ? { bound } : {}),
        },
      ),
      expirationTimestamp: timestamp(clock, seconds * 1000),
    },
  };
}

/** @throws StatusError 422 */
function checkRequest({ metadata, spec }: TokenRequest, name: string): void {
  const refuse = (about: string, error: FieldError): Error =>
    invalid(TOKEN_REQUEST, about, [error]);
  if ((metadata.name ?? name) !== name) {
    const why = "must match the service account name if specified";
    throw refuse(name, invalidValue("metadata.name", metadata.name, why));
  }
  const seconds = spec?.expirationSeconds ?? DEFAULT_SECONDS;
  if (seconds < SHORTEST_SECONDS) {
    const why = "may not specify a duration less than 10 minutes";
    throw refuse("", invalidValue("spec.expirationSeconds", seconds, why));
  }
  if (seconds > LONGEST_SECONDS) {
    const why = "may not specify a duration larger than 2^32 seconds";
    throw refuse("", invalidValue("spec.expirationSeconds", seconds, why));
  }
}

const BINDABLE: Readonly<Record<string, string>> = {
  Pod: "pods",
  Secret: "secrets",
  Node: "nodes",
};

/** @throws StatusError 400 for another kind, 404, or 409 for another uid */
function findBound(cluster: Cluster, account: SentObject, reference: ObjectReference): BoundObject {
  const { name: accountName = "", namespace = "" } = account.metadata;
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  const plural = apiVersion === "v1" ? BINDABLE[kind] : undefined;
  if (plural === undefined) {
    const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${kind}`);
  }
  const home = kind === "Node" ? "" : namespace;
  const found = cluster.store.get(plural, storeKey(home, name));
  if (!found) throw notFound({ group: "", plural }, name);
  if (uid !== "" && uid !== found.metadata.uid) {
    throw failure(
      409,
      "Conflict",
      `Operation cannot be fulfilled on ${kind} ${JSON.stringify(name)}: the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      { name, kind },
    );
  }
  const runsAs = at(found, "spec.serviceAccountName");
  if (kind === "Pod" && runsAs !== accountName) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`,
    );
  }
  return { kind, name, uid: found.metadata.uid ?? "" };
}
