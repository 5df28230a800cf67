/**
 * Removes certificate requests that are no longer needed.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
 */
import { X509Certificate } from "node:crypto";
import type { SigningRequest } from "../../builtin/kinds/certificates/certificate-signing-request.ts";
import { unlessGone } from "../absence.ts";
import { SIGNING_REQUESTS } from "../../builtin/tokens.ts";
import { msOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../controller.ts";

const HOUR_MS = 3_600_000;
/** How long a decided request stays, and one that waits for a decision. */
const DECIDED_MS = HOUR_MS;
const WAITING_MS = 24 * HOUR_MS;

/** Removes old requests. Keys are those of the requests. */
export class RequestCleaner extends ObjectController<SigningRequest> {
  readonly name = "CertificateRequestCleaner";
  readonly resource = SIGNING_REQUESTS;
  readonly watches = [watch(SIGNING_REQUESTS)];

  protected async reconcile(request: SigningRequest): Promise<number | undefined> {
    const leftMs = endOf(request) - this.clock.now();
    if (leftMs >= 0) return leftMs + 1;
    await unlessGone(this.client.remove(SIGNING_REQUESTS, request.metadata));
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
