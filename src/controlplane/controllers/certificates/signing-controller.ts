/**
 * Signs approved requests for Kubernetes' own signers; approves the requests of kubelets for
 * themselves.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/
 */
import { readCertificateRequest } from "../../auth/certificate-request.ts";
import { timeOf } from "../../../kube/values/times.ts";
import type {
  SigningCondition,
  SigningRequest,
} from "../../builtin/kinds/certificates/certificate-signing-request.ts";
import type { CertificateSigner } from "../client.ts";
import { SIGNING_REQUESTS } from "../../builtin/tokens.ts";
import { ObjectController, type Tools, watch } from "../controller.ts";
import {
  KUBELET_CLIENT_SIGNER,
  findSignerCheck,
  kubeletClientProblem,
} from "./kubelet-requests.ts";
import { present } from "../../../present.ts";

const MINUTE_MS = 60_000;
/** The longest and the shortest life of a certificate. */
const LONGEST_MS = 365 * 24 * 60 * MINUTE_MS;
const SHORTEST_MS = 10 * MINUTE_MS;

/** Signs and approves requests. Keys are those of the requests. */
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
    if (has("Approved")) await this.#sign(object, conditions);
    else await this.#approve(object, conditions);
  }

  async #sign(object: SigningRequest, conditions: readonly SigningCondition[]): Promise<void> {
    const { signerName = "", request = "", expirationSeconds } = object.spec;
    const usages = object.spec.usages ?? [];
    const check = findSignerCheck(signerName);
    if (!check) return;
    const asked = readCertificateRequest(request);
    const problem = check(asked, usages);
    if (problem !== undefined) {
      const failed = {
        type: "Failed",
        status: "True",
        reason: "SignerValidationFailure",
        message: problem,
        lastUpdateTime: timeOf(this.clock.now()),
      };
      await this.#write(object, { conditions: [...conditions, failed] }, "status");
      return;
    }
    const wantedMs = expirationSeconds === undefined ? LONGEST_MS : expirationSeconds * 1000;
    const ttlMs = Math.max(SHORTEST_MS, Math.min(wantedMs, LONGEST_MS));
    const certificate = Buffer.from(this.#signer.sign(asked, { usages, ttlMs }));
    await this.#write(object, { certificate: certificate.toString("base64") }, "status");
  }

  async #approve(object: SigningRequest, conditions: readonly SigningCondition[]): Promise<void> {
    const { signerName, request = "", username = "", uid, groups = [], extra } = object.spec;
    if (signerName !== KUBELET_CLIENT_SIGNER) return;
    const asked = readCertificateRequest(request);
    if (kubeletClientProblem(asked, object.spec.usages ?? []) !== undefined) return;
    const user = {
      name: username,
      groups,
      ...present({ uid, extra }),
    };
    const isSelf = username === asked.commonName;
    const mayApprove = (subresource: string): boolean => this.#signer.mayCreate(user, subresource);
    const how =
      isSelf && mayApprove("selfnodeclient")
        ? "self kubelet client certificate"
        : mayApprove("nodeclient")
          ? "kubelet client certificate"
          : undefined;
    if (how === undefined) return;
    const approved = {
      type: "Approved",
      status: "True",
      reason: "AutoApproved",
      message: `Auto approving ${how} after SubjectAccessReview.`,
    };
    await this.#write(object, { conditions: [...conditions, approved] }, "approval");
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
