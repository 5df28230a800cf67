/**
 * The requests of the operator's replicas to the API server, from its audit log, and the leader at
 * each time.
 */
import { readFileSync, statSync } from "node:fs";

/** One request of the audit log. */
export interface AuditedRequest {
  /** The replica: the identifier of its token, or its user. */
  readonly by: string;
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly key: string;
  readonly receivedMs: number;
  readonly answeredMs: number;
  readonly code: number;
  /** For a Lease: its holder after the request; empty when it was released. */
  readonly holder: string | undefined;
}

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string; readonly extra?: Record<string, readonly string[]> };
  readonly objectRef?: Readonly<
    Partial<Record<"resource" | "subresource" | "namespace" | "name", string>>
  >;
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: { readonly spec?: { readonly holderIdentity?: string } };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

const CREDENTIAL = "authentication.kubernetes.io/credential-id";
const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);
const COORDINATION = new Set(["leases", "events", "selfsubjectaccessreviews"]);

/** The present size of the audit log. */
export const auditSize = (path: string): number => statSync(path).size;

/** The requests after the first `from` bytes of the log, in the order of their arrival. */
export function readAudit(path: string, from = 0): AuditedRequest[] {
  const lines = readFileSync(path).subarray(from).toString("utf8").split("\n");
  return lines
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ stage }) => stage !== "ResponseStarted")
    .map((event) => {
      const { resource = "", subresource = "", namespace = "", name = "" } = event.objectRef ?? {};
      const [credential] = event.user.extra?.[CREDENTIAL] ?? [];
      return {
        by: credential?.replace("JTI=", "") ?? event.user.username,
        verb: event.verb,
        resource,
        subresource,
        key: `${namespace}/${name}`,
        receivedMs: Date.parse(event.requestReceivedTimestamp),
        answeredMs: Date.parse(event.stageTimestamp),
        code: event.responseStatus?.code ?? 0,
        holder: resource === "leases" ? event.requestObject?.spec?.holderIdentity : undefined,
      };
    })
    .sort((one, other) => one.receivedMs - other.receivedMs);
}

/** The write requests of reconcilers. */
export function reconcilersWrites(requests: readonly AuditedRequest[]): AuditedRequest[] {
  return requests.filter(({ verb, resource }) => WRITES.has(verb) && !COORDINATION.has(resource));
}

/**
 * The writes that arrived after another replica had become the leader, and those of a replica that
 * never was.
 *
 * @param lease - `namespace/name` of the Lease of the election; each shard has a Lease of its own,
 *   which is none
 */
export function writesWithoutLead(
  requests: readonly AuditedRequest[],
  lease: string,
): AuditedRequest[] {
  const taken = requests
    .filter(({ resource, key, verb, code, holder }) => {
      const isLead = resource === "leases" && key === lease && holder !== undefined;
      return isLead && WRITES.has(verb) && code < 300;
    })
    .map(({ by, answeredMs, holder }) => ({ by: holder === "" ? "" : by, fromMs: answeredMs }))
    .sort((one, other) => one.fromMs - other.fromMs);
  return reconcilersWrites(requests).filter(({ by, receivedMs }) => {
    const term = taken.findLast(({ fromMs }) => fromMs < receivedMs);
    return term !== undefined && term.by !== by;
  });
}

/** The objects that one replica wrote, then another, then the first again. */
export function alternatingWrites(requests: readonly AuditedRequest[]): string[] {
  const writers = new Map<string, string[]>();
  for (const { by, resource, key } of reconcilersWrites(requests)) {
    const found = writers.get(`${resource} ${key}`) ?? [];
    if (found.at(-1) !== by) found.push(by);
    writers.set(`${resource} ${key}`, found);
  }
  return [...writers]
    .filter(([, found]) => new Set(found).size < found.length)
    .map(([object, found]) => `${object}: ${found.join(", ")}`);
}
