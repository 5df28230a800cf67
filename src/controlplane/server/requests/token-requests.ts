/**
 * `serviceaccounts/token`: tokens for service accounts.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
import type {
  BoundObjectReference,
  TokenRequest,
} from "../../../generated/k8s/authentication-v1.ts";
import { at, textAt } from "../../builtin/at.ts";
import type { Loose } from "../../builtin/shared/shapes.ts";
import { type FieldError, invalid, invalidValue } from "../../../kube/field-errors.ts";
import { asObject } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { failure } from "../../../kube/status.ts";
import { type BoundObject, ISSUER, type PodNode } from "../../auth/tokens.ts";
import { admitSubresource } from "../write/admitted.ts";
import { readObject } from "./body.ts";
import { type Cluster, randomUid, storedAt, timestamp } from "../cluster/cluster.ts";
import { badRequest, notFound } from "../../failures.ts";
import { getObject } from "../read/list.ts";
import { trackChange } from "../write/field-ownership.ts";
import { sentWrite } from "./pod-requests.ts";
import { writeOptions } from "./query.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { present } from "../../../present.ts";
import { tableOf } from "../../../table.ts";

type AskedToken = SentObject & Loose<Pick<TokenRequest, "spec" | "status">>;

const TOKEN_REQUEST = { group: "authentication.k8s.io", kind: "TokenRequest" };
const DEFAULT_SECONDS = 3600;
const SHORTEST_SECONDS = 600;
const LONGEST_SECONDS = 2 ** 32;

export async function tokenRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { namespace, name, resource } = asked;
  const options = writeOptions(asked, "create");
  const sent: AskedToken = await readObject(asked, options);
  const account = getObject(cluster, resource, namespace, name);
  checkRequest(sent, name);
  checkAccount(sent, account);
  const write = sentWrite(cluster, asked, options);
  // Of the sent object, only what was asked for is kept.
  const { kind, apiVersion, spec: { audiences, expirationSeconds, boundObjectRef } = {} } = sent;
  const seconds = expirationSeconds ?? DEFAULT_SECONDS;
  const object: AskedToken = {
    kind,
    apiVersion,
    metadata: {},
    spec: {
      expirationSeconds: seconds,
      ...(audiences?.length ? { audiences } : {}),
      ...(boundObjectRef ? { boundObjectRef } : {}),
    },
  };
  trackChange(write, undefined, object);
  object.metadata.namespace = namespace;
  Object.assign(object, {
    spec: {
      audiences: audiences?.length ? audiences : [ISSUER],
      boundObjectRef: boundObjectRef ?? null,
      expirationSeconds: seconds,
    },
    status: { token: "", expirationTimestamp: null },
  });
  const admitted: AskedToken = await admitSubresource(write, object);
  checkRequest(admitted, name);
  return { code: 201, object: answered(cluster, admitted, account) };
}

/** @throws StatusError for an object that a token cannot be bound to */
function answered(cluster: Cluster, request: AskedToken, account: SentObject): SentObject {
  const { clock, tokens } = cluster;
  const { name = "", namespace = "", uid = "" } = account.metadata;
  const { audiences, expirationSeconds, boundObjectRef } = request.spec ?? {};
  const seconds = expirationSeconds ?? DEFAULT_SECONDS;
  const bound = boundObjectRef ? findBound(cluster, account, boundObjectRef) : undefined;
  const token = tokens.issue(
    { namespace, name, uid },
    {
      audiences: audiences?.length ? audiences : [ISSUER],
      seconds,
      id: randomUid(clock),
      ...present({ bound: bound?.object, podNode: bound?.podNode }),
    },
  );
  const { managedFields } = request.metadata;
  return asObject({
    ...request,
    spec: { ...request.spec, boundObjectRef: boundObjectRef ?? null },
    metadata: {
      ...present({ managedFields }),
      name,
      namespace,
      uid,
      creationTimestamp: timestamp(clock),
    },
    status: { token, expirationTimestamp: timestamp(clock, seconds * 1000) },
  });
}

/** @throws StatusError 422 */
function checkRequest({ metadata, spec }: AskedToken, name: string): void {
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

/** @throws StatusError 409 for the account of another uid */
function checkAccount({ metadata: { uid = "" } }: AskedToken, account: SentObject): void {
  const { name = "", uid: own = "" } = account.metadata;
  if (uid === "" || uid === own) return;
  const { group, kind } = TOKEN_REQUEST;
  throw failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${kind}.${group} ${JSON.stringify(name)}: the UID in the token request (${uid}) does not match the UID of the service account (${own})`,
    { name, group, kind },
  );
}

/** The object that a token is bound to, and the node of a pod. */
interface Bound {
  readonly object: BoundObject;
  readonly podNode?: PodNode;
}

/** The plurals of the kinds that a token may be bound to. */
const BINDABLE = tableOf<string>({
  Pod: "pods",
  Secret: "secrets",
  Node: "nodes",
});

/** @throws StatusError 400 for another kind, 404, or 409 for another uid */
function findBound(cluster: Cluster, account: SentObject, reference: BoundObjectReference): Bound {
  const { name: accountName = "", namespace = "" } = account.metadata;
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  const plural = apiVersion === "v1" ? BINDABLE.get(kind) : undefined;
  if (plural === undefined) {
    const version = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(`cannot bind token to object of type ${version}, Kind=${kind}`);
  }
  const resource = { group: "", plural };
  const found = storedAt(cluster, resource, kind === "Node" ? "" : namespace, name);
  if (!found) throw notFound(resource, name);
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
  const object = { kind, name, uid: found.metadata.uid ?? "" };
  const nodeName = kind === "Pod" ? textAt(found, "spec.nodeName") : "";
  if (nodeName === "") return { object };
  const node = storedAt(cluster, { group: "", plural: "nodes" }, "", nodeName);
  return { object, podNode: { name: nodeName, ...present({ uid: node?.metadata.uid }) } };
}
