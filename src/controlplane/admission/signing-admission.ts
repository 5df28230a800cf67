/**
 * The rights to approve and sign certificates and to attest bundles of them, and subjects that get
 * none: the plugins CertificateApproval, CertificateSigning, CertificateSubjectRestriction and
 * ClusterTrustBundleAttest.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#authorization
 */
import type { SentObject } from "../../kube/object.ts";
import { SIGNING_REQUESTS, TRUST_BUNDLES } from "../builtin/tokens.ts";
import { changesNothingButOwners } from "../builtin/shared/owner-changes.ts";
import type { WriteContext } from "../kinds.ts";
import { asKind, isSameResource } from "../resource-name.ts";
import { sameJson } from "../../kube/json.ts";
import { messageOf } from "../../errors.ts";
import { readCertificateRequest } from "../auth/certificate-request.ts";
import type { SigningRequest } from "../builtin/kinds/certificates/certificate-signing-request.ts";
import { mayUseSigner } from "../builtin/shared/signers.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { Authorize } from "./expressions/authorizer-library.ts";
import type { AdmissionPlugins } from "../admission-plugins.ts";
import { refusal } from "./refusal.ts";

const CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client";
const MASTERS = "system:masters";

/** @throws StatusError 403 */
export function validateSigning(
  request: AdmissionRequest,
  authorize: Authorize,
  plugins: AdmissionPlugins,
): void {
  const { operation, resource, subresource, user } = request;
  const may: WriteContext["may"] = (right) => authorize(user, right).allowed;
  if (isSameResource(resource, TRUST_BUNDLES) && plugins.isOn("ClusterTrustBundleAttest")) {
    validateAttesting(request, may);
  }
  if (!isSameResource(resource, SIGNING_REQUESTS)) return;
  const asRequest = (one: SentObject | undefined): SigningRequest | undefined =>
    one && asKind(SIGNING_REQUESTS, resource, one);
  const [object, old] = [asRequest(request.object), asRequest(request.oldObject)];
  const isNew = operation === "CREATE" && subresource === "";
  if (isNew && object && plugins.isOn("CertificateSubjectRestriction")) {
    validateSubject(request, object);
  }
  if (operation !== "UPDATE" || !object || !old) return;
  const { signerName = "" } = old.spec;
  const refuseUnless = (verb: string): void => {
    if (mayUseSigner(verb, signerName, may)) return;
    const shown = JSON.stringify(signerName);
    throw refusal(request, `user not permitted to ${verb} requests with signerName ${shown}`);
  };
  if (subresource === "approval" && plugins.isOn("CertificateApproval")) refuseUnless("approve");
  if (subresource !== "status" || !plugins.isOn("CertificateSigning")) return;
  const [now = {}, before = {}] = [object.status, old.status];
  const isSame =
    now.certificate === before.certificate &&
    sameJson(now.conditions ?? [], before.conditions ?? []);
  if (!isSame) refuseUnless("sign");
}

function validateAttesting(request: AdmissionRequest, may: WriteContext["may"]): void {
  const { operation, resource, object, oldObject } = request;
  if ((operation !== "CREATE" && operation !== "UPDATE") || !object) return;
  const { signerName = "" } = asKind(TRUST_BUNDLES, resource, object)?.spec ?? {};
  if (signerName === "" || (oldObject && changesNothingButOwners(object, oldObject))) return;
  if (mayUseSigner("attest", signerName, may)) return;
  const shown = JSON.stringify(signerName);
  throw refusal(request, `user not permitted to attest for signerName ${shown}`);
}

function validateSubject(request: AdmissionRequest, { spec }: SigningRequest): void {
  if (spec.signerName !== CLIENT_SIGNER) return;
  let organizations: readonly string[];
  try {
    ({ organizations } = readCertificateRequest(spec.request ?? "").subject);
  } catch (error) {
    throw refusal(request, `failed to parse CSR: ${messageOf(error)}`);
  }
  if (!organizations.includes(MASTERS)) return;
  throw refusal(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}
