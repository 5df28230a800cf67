import type { SentObject } from "../../../../../kube/object.ts";
import { listAt, textAt } from "../../../at.ts";
import { fields } from "../../../selectable-fields.ts";
import { checkUnchangedForm, checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../kind-rules.ts";
import { labelsCell } from "../../../tables/cells.ts";
import { type PodCertificateRequest, checkRequest } from "./spec.ts";
import { STATES, checkStatus } from "./pod-certificate-status.ts";

const stateOf = (request: SentObject): string =>
  listAt(request, "status.conditions")
    .map((condition) => textAt(condition, "type"))
    .findLast((type) => STATES.includes(type)) ?? "Pending";

export const podCertificateRequestRules: KindRules = {
  status: "none",
  conditionalUpdate: true,
  setDefaults(request: PodCertificateRequest) {
    if (request.spec) request.spec.maxExpirationSeconds ??= 24 * 3600;
  },
  validateCreate: checked(checkRequest),
  validateUpdate: checkedChange<PodCertificateRequest>((request, old) => {
    const type = "certificates.PodCertificateRequestSpec";
    checkUnchangedForm(request.at("spec"), type, old.spec);
  }),
  validateStatus: checkedChange(checkStatus),
  resetFields: { "": ["status"], status: ["metadata", "spec"] },
  selectsNoNamespace: true,
  selectableFields: fields("spec.signerName", "spec.podName", "spec.nodeName"),
  writtenNulls: { spec: { stubPKCS10Request: null } },
  table: {
    PodName: "spec.podName",
    ServiceAccountName: "spec.serviceAccountName",
    NodeName: "spec.nodeName",
    SignerName: "spec.signerName",
    State: stateOf,
    UnverifiedUserAnnotations: labelsCell("spec.unverifiedUserAnnotations"),
  },
};
