/**
 * Whether an API server reaches webhooks on this machine: it is made to ask one.
 *
 * A webhook is configured for a moment that is asked about ConfigMaps with a label that only this run knows, and such a
 * ConfigMap is applied in a dry run: nobody else's requests come here, and nothing is stored.
 */
import { createServer, type Server } from "node:https";
import type { Clock } from "../../../clock.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { isForbidden, StatusError } from "../../../kube/status.ts";
import type { ServingCertificate } from "../../../runtime/webhook/certificates/issue.ts";
import type { AnsweringRun } from "../../cluster/answering.ts";
import type { ClusterSession } from "../../cluster/cluster-session.ts";
import { marked, standingOf } from "../../cluster/ownership.ts";

const WEBHOOK = "reach.run.tsop.dev";
const LABEL = "run.tsop.dev/reach";
const PATH = "/reach";
/** The longest wait: API servers take up configurations within a second. */
const PATIENCE_MS = 10_000;
const POLL_MS = 100;

/** The parties of a test of reachability. */
export interface Reach {
  readonly session: ClusterSession;
  readonly certificate: ServingCertificate;
  /** The origin that the API server is to ask. */
  readonly origin: string;
  /** The address on which is listened for it: all of this machine without a host. */
  readonly endpoint: { readonly host: string | undefined; readonly port: number };
  readonly run: AnsweringRun;
}

/** The API server's own words; `undefined` when it reaches the address, or may not be made to try. */
export async function whyNotReached(
  { session, certificate, origin, endpoint, run }: Reach,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = new AbortController();
  const server = await listen(certificate, endpoint, () => {
    asked.abort();
  });
  const caBundle = Buffer.from(certificate.authority.certificate).toString("base64");
  const configuration = configurationOf({ url: `${origin}${PATH}`, caBundle }, run);
  try {
    const standing = standingOf(await session.find(configuration), run.owner);
    await session.apply(marked(configuration, standing, run.owner), { dryRun: false });
    const untilMs = clock.monotonicMs() + PATIENCE_MS;
    while (clock.monotonicMs() < untilMs && !signal.aborted) {
      const refusal = await tryToApply(session, run);
      if (asked.signal.aborted) return undefined;
      if (refusal?.message.includes(WEBHOOK)) return refusal.message;
      // Without the right to make ConfigMaps this cannot be found out; the first request about the
      // kind will tell.
      if (refusal && isForbidden(refusal)) return undefined;
      await clock.sleep(POLL_MS);
    }
    return `it called no webhook within ${PATIENCE_MS / 1000} s`;
  } finally {
    server.closeAllConnections();
    server.close();
    const live = await session.find(configuration);
    if (live) await session.remove(live);
  }
}

async function tryToApply(
  session: ClusterSession,
  { id }: AnsweringRun,
): Promise<StatusError | undefined> {
  const asked = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name: `tsop-run-${id}`, labels: { [LABEL]: id } },
  };
  try {
    await session.apply(asked, { dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

function configurationOf(clientConfig: object, { owner, id }: AnsweringRun): ManifestObject {
  const webhook = {
    name: WEBHOOK,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    timeoutSeconds: 3,
    clientConfig,
    objectSelector: { matchLabels: { [LABEL]: id } },
    rules: [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
    ],
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `${owner}-run-reach` },
    webhooks: [webhook],
  } as ManifestObject;
}

/** A server that only notes that it was asked: its answer is not a review, so the request about it fails. */
async function listen(
  { certificate, key }: ServingCertificate,
  { host, port }: Reach["endpoint"],
  asked: () => void,
): Promise<Server> {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    if (request.url?.startsWith(PATH)) asked();
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}
