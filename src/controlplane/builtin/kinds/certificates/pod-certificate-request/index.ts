/** Rules of the kind PodCertificateRequest. */
import type { SentObject } from "../../../../../kube/object.ts";
import { listAt, mapAt, textAt } from "../../../at.ts";
import { fields, labelNotSupported } from "../../../selectable-fields.ts";
import { checkUnchangedForm, checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { column, formatLabels, nameColumn, printer, textColumn } from "../../../tables/column.ts";
import type { PodCertificateRequest } from "./shape.ts";
import { checkRequest } from "./spec.ts";
import { checkStatus } from "./status.ts";

const STATES = ["Issued", "Denied", "Failed"];

const stateOf = (request: SentObject): string =>
  listAt(request, "status.conditions")
    .map((condition) => textAt(condition, "type"))
    .findLast((type) => STATES.includes(type)) ?? "Pending";

/** The rules of PodCertificateRequests. */
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
  refuseFieldLabel: labelNotSupported,
  selectsNoNamespace: true,
  selectableFields: fields("spec.signerName", "spec.podName", "spec.nodeName"),
  writtenNulls: { spec: { stubPKCS10Request: null } },
  table: printer([
    nameColumn,
    textColumn("PodName", "spec.podName"),
    textColumn("ServiceAccountName", "spec.serviceAccountName"),
    textColumn("NodeName", "spec.nodeName"),
    textColumn("SignerName", "spec.signerName"),
    column("State", stateOf),
    column("UnverifiedUserAnnotations", (request) =>
      formatLabels(mapAt(request, "spec.unverifiedUserAnnotations")),
    ),
  ]),
  columnFields: {
    PodName: "certificates.v1.PodCertificateRequestSpec.podName",
    ServiceAccountName: "certificates.v1.PodCertificateRequestSpec.serviceAccountName",
    NodeName: "certificates.v1.PodCertificateRequestSpec.nodeName",
    SignerName: "certificates.v1.PodCertificateRequestSpec.signerName",
    UnverifiedUserAnnotations:
      "certificates.v1.PodCertificateRequestSpec.unverifiedUserAnnotations",
  },
  columnTexts: { State: "Is the request Pending, Issued, Denied, or Failed?" },
};
