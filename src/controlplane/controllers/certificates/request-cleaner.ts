/**
 * Removes certificate requests that are no longer needed.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
 */
import { X509Certificate } from "node:crypto";
import type { Clock } from "../../../clock.ts";
import type { SigningRequest } from "../../builtin/kinds/certificates/certificate-signing-request.ts";
import { unlessGone } from "../absence.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns, keyFrom, textOf } from "../keys.ts";
import { SIGNING_REQUESTS } from "../../builtin/tokens.ts";
import { msOf } from "../../../kube/values/times.ts";
import type { Controller } from "../work-loop.ts";

const HOUR_MS = 3_600_000;
/** How long a decided request stays, and one that waits for a decision. */
const DECIDED_MS = HOUR_MS;
const WAITING_MS = 24 * HOUR_MS;

/** Removes old requests. Keys are those of the requests. */
export class RequestCleaner implements Controller {
  readonly name = "CertificateRequestCleaner";
  readonly watches = [SIGNING_REQUESTS];
  readonly #client: ControllerClient;
  readonly #clock: Clock;

  constructor(client: ControllerClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, SIGNING_REQUESTS) && event.type !== "DELETED") yield textOf(event.object);
  }

  async sync(key: string): Promise<number | undefined> {
    const found = this.#client.find(SIGNING_REQUESTS, keyFrom(key));
    if (!found) return undefined;
    const leftMs = endOf(found) - this.#clock.now();
    if (leftMs >= 0) return leftMs + 1;
    await unlessGone(this.#client.remove(SIGNING_REQUESTS, keyFrom(key)));
    return undefined;
  }
}

/** When a request is no longer needed, in milliseconds. */
function endOf({ metadata, status = {} }: SigningRequest): number {
  const { certificate = "", conditions = [] } = status;
  const isIssued = certificate !== "";
  const ends = conditions.map(({ type, lastUpdateTime }) => {
    const isWaiting = type === "Approved" && !isIssued;
    return lastUpdateTime ? msOf(lastUpdateTime) + (isWaiting ? WAITING_MS : DECIDED_MS) : Infinity;
  });
  if (conditions.length === 0) ends.push(msOf(metadata.creationTimestamp ?? "") + WAITING_MS);
  if (isIssued) ends.push(expiryOf(certificate));
  return Math.min(...ends);
}

function expiryOf(certificate: string): number {
  return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo);
}
