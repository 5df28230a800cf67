/**
 * Signs approved requests for Kubernetes' own signers; approves the requests of kubelets for
 * themselves; removes old ones.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
import { X509Certificate } from "node:crypto";
import { type CertificateRequest, readCertificateRequest } from "../../auth/certificate-request.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import type {
  SigningCondition,
  SigningRequest,
} from "../../builtin/kinds/certificates/certificate-signing-request.ts";
import { unlessGone } from "../framework/absence.ts";
import type { CertificateSigner } from "../framework/client.ts";
import { SIGNING_REQUESTS } from "../../builtin/tokens.ts";
import { ObjectController, type Tools, watch } from "../framework/controller.ts";
import { KUBELET_CLIENT_SIGNER, SIGNER_CHECKS } from "./kubelet-requests.ts";
import { present } from "../../../present.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a decided request stays, and one that waits for a decision. */
const DECIDED_MS = HOUR_MS;
const WAITING_MS = 24 * HOUR_MS;
/** The longest and the shortest life of a certificate. */
const LONGEST_MS = 365 * 24 * HOUR_MS;
const SHORTEST_MS = 10 * MINUTE_MS;

export class SigningController extends ObjectController<SigningRequest> {
  readonly name = "CertificateSigning";
  readonly resource = SIGNING_REQUESTS;
  readonly watches = [watch(SIGNING_REQUESTS)];
  readonly #signer: CertificateSigner;

  constructor(tools: Tools, signer: CertificateSigner) {
    super(tools);
    this.#signer = signer;
  }

  protected async reconcile(object: SigningRequest): Promise<undefined> {
    const { certificate = "", conditions = [] } = object.status ?? {};
    const has = (type: string): boolean =>
      conditions.some((condition) => condition.type === type && condition.status === "True");
    if (certificate !== "" || has("Denied") || has("Failed")) return;
    const { signerName = "", request = "", usages } = object.spec;
    const check = SIGNER_CHECKS.get(signerName);
    const isApproved = has("Approved");
    // Only requests of kubelets for themselves are approved here.
    if (!check || !(isApproved || signerName === KUBELET_CLIENT_SIGNER)) return;
    const asked = readCertificateRequest(request);
    const problem = check(asked, usages ?? []);
    if (isApproved) await this.#sign(object, asked, problem);
    else if (problem === undefined) await this.#approve(object, asked);
  }

  async #sign(
    object: SigningRequest,
    asked: CertificateRequest,
    problem: string | undefined,
  ): Promise<void> {
    if (problem !== undefined) {
      const lastUpdateTime = timeOf(this.clock.now());
      const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure" };
      const conditions = withAdded(object, { ...failed, message: problem, lastUpdateTime });
      await this.#write(object, { conditions }, "status");
      return;
    }
    const { expirationSeconds, usages } = object.spec;
    const wantedMs = expirationSeconds === undefined ? LONGEST_MS : expirationSeconds * 1000;
    const ttlMs = Math.max(SHORTEST_MS, Math.min(wantedMs, LONGEST_MS));
    const terms = { usages: usages ?? [], ttlMs };
    const certificate = Buffer.from(this.#signer.sign(asked, terms));
    await this.#write(object, { certificate: certificate.toString("base64") }, "status");
  }

  async #approve(object: SigningRequest, { subject }: CertificateRequest): Promise<void> {
    const { username: name = "", uid, groups = [], extra } = object.spec;
    const user = { name, groups, ...present({ uid, extra }) };
    const isSelf = name === subject.commonName && this.#signer.mayCreate(user, "selfnodeclient");
    if (!isSelf && !this.#signer.mayCreate(user, "nodeclient")) return;
    const how = `${isSelf ? "self " : ""}kubelet client certificate`;
    const message = `Auto approving ${how} after SubjectAccessReview.`;
    const approved = { type: "Approved", status: "True", reason: "AutoApproved", message };
    await this.#write(object, { conditions: withAdded(object, approved) }, "approval");
  }

  async #write(
    object: SigningRequest,
    status: NonNullable<SigningRequest["status"]>,
    subresource: string,
  ): Promise<void> {
    const next: SigningRequest = { ...object, status: { ...object.status, ...status } };
    await this.client.update(SIGNING_REQUESTS, next, subresource);
  }
}

const withAdded = ({ status }: SigningRequest, condition: SigningCondition): SigningCondition[] => [
  ...(status?.conditions ?? []),
  condition,
];

/** Removes requests that are no longer needed. Keys are those of the requests. */
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
