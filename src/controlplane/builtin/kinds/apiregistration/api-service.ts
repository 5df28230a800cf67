/** Rules of the kind APIService. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  quote,
  required,
} from "../../../../kube/field-errors.ts";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, textAt } from "../../at.ts";
import { oneOf } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { timeOf } from "../../../../kube/values/times.ts";
import { ageColumn, column, conditionOf, nameColumn, printer } from "../../tables/column.ts";

/** Defaults the port of a service to that of HTTPS. */
function setApiServiceDefaults(object: ApiService): void {
  const { service } = object.spec;
  if (service) service.port ??= 443;
}

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

interface ApiService extends SentObject {
  spec: {
    service?: { namespace?: string; name?: string; port?: number };
    group?: string;
    version?: string;
    insecureSkipTLSVerify?: boolean;
    caBundle?: string;
    groupPriorityMinimum?: number;
    versionPriority?: number;
  };
  status?: {
    conditions?: {
      type?: string;
      status?: string;
      lastTransitionTime?: string;
      reason?: string;
      message?: string;
    }[];
  };
}

const STATUSES = ["True", "False", "Unknown"];

/** Validates an APIService. */
function apiServiceErrors(object: ApiService): FieldError[] {
  const { spec } = object;
  const { group = "", version = "" } = spec;
  const errors: FieldError[] = [];
  if (group === "" && version !== "v1") {
    errors.push(
      required("spec.group", "only v1 may have an empty group and it better be legacy kube"),
    );
  }
  if (group !== "") errors.push(...nameErrorsAt("spec.group", group, dns1123SubdomainErrors));
  errors.push(...nameErrorsAt("spec.version", version, dns1035LabelErrors));
  for (const [part, max] of [
    ["groupPriorityMinimum", 20_000],
    ["versionPriority", 1000],
  ] as const) {
    const priority = spec[part] ?? 0;
    if (priority <= 0 || priority > max) {
      errors.push(invalidValue(`spec.${part}`, priority, `must be positive and less than ${max}`));
    }
  }
  return [...errors, ...backendErrors(spec)];
}

/** Validates a new APIService. */
const newApiServiceErrors = (object: ApiService): FieldError[] => [
  ...serviceNameErrors(object),
  ...apiServiceErrors(object),
];

/** Validates the name, which consists of the version and the group. */
function serviceNameErrors({ metadata, spec }: ApiService): FieldError[] {
  const { group = "", version = "" } = spec;
  const wanted = `${version}.${group}`;
  return (["generateName", "name"] as const).flatMap((part) => {
    const name = metadata[part] ?? "";
    const isRight = name === "" || name === wanted || pathSegmentErrors(name).length > 0;
    const detail = `must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`;
    return isRight ? [] : [invalidValue(`metadata.${part}`, name, detail)];
  });
}

function backendErrors(spec: ApiService["spec"]): FieldError[] {
  const { service, caBundle = "", insecureSkipTLSVerify = false } = spec;
  if (!service) {
    const bytes = Buffer.from(caBundle, "base64").length;
    return [
      ...(bytes === 0
        ? []
        : [
            invalidValue(
              "spec.caBundle",
              `${bytes} bytes`,
              "local APIServices may not have a caBundle",
            ),
          ]),
      ...(insecureSkipTLSVerify
        ? [
            invalidValue(
              "spec.insecureSkipTLSVerify",
              true,
              "local APIServices may not have insecureSkipTLSVerify",
            ),
          ]
        : []),
    ];
  }
  const { namespace = "", name = "", port = 0 } = service;
  return [
    ...(namespace === "" ? [required("spec.service.namespace")] : []),
    ...(name === "" ? [required("spec.service.name")] : []),
    ...(port < 1 || port > 65_535
      ? [
          invalidValue(
            "spec.service.port",
            port,
            "port is not valid: must be between 1 and 65535, inclusive",
          ),
        ]
      : []),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [invalidValue("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}

/** Validates the status of an APIService. */
function apiServiceStatusErrors(object: ApiService): FieldError[] {
  const { conditions = [] } = object.status ?? {};
  return conditions.flatMap(({ status = "" }, index) =>
    oneOf(`status.conditions[${index}].status`, status, STATUSES),
  );
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

/** The rules of APIServices. */
export const apiServiceRules: KindRules = {
  status: "all",
  name: "segment",
  setDefaults: setApiServiceDefaults,
  prepareForCreate: prepareApiServiceForCreate,
  changeFirst: true,
  validateCreate: newApiServiceErrors,
  validateChanged: apiServiceErrors,
  validateUpdate: serviceNameErrors,
  validateStatus: apiServiceStatusErrors,
  table: printer([
    nameColumn,
    column("Service", serviceOf),
    column("Available", availability),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  freeFinalizers: true,
  resetFields: { status: ["spec", "metadata"] },
  columnTexts: {
    Service: "The reference to the service that hosts this API endpoint.",
    Available: "Whether this service is available.",
  },
};
