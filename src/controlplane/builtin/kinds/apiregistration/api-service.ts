import type { APIService } from "../../../../generated/k8s/apiregistration-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { quote } from "../../../../kube/field-errors.ts";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, textAt } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { conditionOf } from "../../tables/cells.ts";

/** Marks a new APIService that the API server itself serves as available. */
function prepareApiServiceForCreate(service: ApiService, context: WriteContext): void {
  if (service.spec.service) return;
  const lastTransitionTime = timeOf(context.clock.now());
  service.status = {
    conditions: [
      {
        type: "Available",
        status: "True",
        lastTransitionTime,
        reason: "Local",
        message: "Local APIServices are always available",
      },
    ],
  };
}

type Spec = Loose<NonNullable<APIService["spec"]>>;

export type ApiService = Sent<APIService> & { spec: Spec };

/** Validates an APIService. */
function checkApiService(object: Check<ApiService>): void {
  const spec = object.at("spec");
  const { group = "", version = "" } = spec.value;
  if (group === "" && version !== "v1") {
    spec.at("group").required("only v1 may have an empty group and it better be legacy kube");
  }
  spec.at("group").nameIfGiven(dns1123SubdomainErrors);
  spec.at("version").named(dns1035LabelErrors);
  for (const [part, max] of [
    ["groupPriorityMinimum", 20_000],
    ["versionPriority", 1000],
  ] as const) {
    const priority = spec.value[part] ?? 0;
    if (priority > 0 && priority <= max) continue;
    spec.at(part).invalid(`must be positive and less than ${max}`, priority);
  }
  checkBackend(spec);
}

/** Validates the name, which consists of the version and the group. */
function checkName(object: Check<ApiService>): void {
  const { metadata, spec } = object.value;
  const wanted = `${spec.version ?? ""}.${spec.group ?? ""}`;
  for (const part of ["generateName", "name"] as const) {
    const name = metadata[part] ?? "";
    if (name === "" || name === wanted || pathSegmentErrors(name).length > 0) continue;
    const field = object.child(`metadata.${part}`, name);
    field.invalid(`must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`);
  }
}

function checkBackend(spec: Check<Spec>): void {
  const { service, caBundle = "", insecureSkipTLSVerify = false } = spec.value;
  const skips = spec.at("insecureSkipTLSVerify");
  if (!service) {
    const bytes = Buffer.from(caBundle, "base64").length;
    const isLocal = "local APIServices may not have";
    if (bytes > 0) spec.at("caBundle").invalid(`${isLocal} a caBundle`, `${bytes} bytes`);
    if (insecureSkipTLSVerify) skips.invalid(`${isLocal} insecureSkipTLSVerify`);
    return;
  }
  spec.at("service", "namespace").given();
  spec.at("service", "name").given();
  const { port = 0 } = service;
  if (port < 1 || port > 65_535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    spec.at("service", "port").invalid(detail, port);
  }
  if (insecureSkipTLSVerify && caBundle !== "")
    skips.invalid("may not be true if caBundle is present");
}

/** Validates the status of an APIService. */
function checkStatus(object: Check<ApiService>): void {
  object.at("status", "conditions").each((condition) => {
    condition.at("status").oneOf(["True", "False", "Unknown"]);
  });
}

const serviceOf = (apiService: SentObject): string =>
  at(apiService, "spec.service") === undefined
    ? "Local"
    : `${textAt(apiService, "spec.service.namespace")}/${textAt(apiService, "spec.service.name")}`;

function availability(apiService: SentObject): string {
  const condition = conditionOf(apiService, "Available");
  const status = textAt(condition, "status", "Unknown");
  const reason = status === "True" ? "" : textAt(condition, "reason");
  return reason === "" ? status : `${status} (${reason})`;
}

export const apiServiceRules: KindRules = {
  status: "all",
  name: "segment",
  setDefaults({ spec: { service } }: ApiService) {
    if (service) service.port ??= 443;
  },
  prepareForCreate: prepareApiServiceForCreate,
  changeFirst: true,
  validate: checked(checkApiService),
  validateCreate: checked(checkName),
  validateUpdate: checkedChange(checkName),
  validateStatus: checkedChange(checkStatus),
  table: { Service: serviceOf, Available: availability },
  metadataChecks: ["change", "whole"],
  freeFinalizers: true,
  resetFields: { status: ["spec", "metadata"] },
  // Another server checks APIServices, which has no declared rules.
  wrap: (strategy) => ({ ...strategy, report: (errors) => [...errors] }),
};
