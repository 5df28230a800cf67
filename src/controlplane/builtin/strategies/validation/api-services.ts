/**
 * Validation of APIServices.
 *
 * @module
 */
import {
  type FieldError,
  invalidValue,
  quote,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { oneOf } from "./checks.ts";

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
  status?: { conditions?: { status?: string }[] };
}

const STATUSES = ["True", "False", "Unknown"];

/** What is wrong with an APIService as it is. */
export function apiServiceErrors(object: SentObject): FieldError[] {
  const { spec } = object as ApiService;
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

/** What is wrong with a new one. */
export const newApiServiceErrors = (object: SentObject): FieldError[] => [
  ...serviceNameErrors(object),
  ...apiServiceErrors(object),
];

/** The name says the version and the group. */
export function serviceNameErrors({ metadata, ...rest }: SentObject): FieldError[] {
  const { group = "", version = "" } = (rest as ApiService).spec;
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

/** What is wrong with the status of an APIService. */
export function apiServiceStatusErrors(object: SentObject): FieldError[] {
  const { conditions = [] } = (object as ApiService).status ?? {};
  return conditions.flatMap(({ status = "" }, index) =>
    oneOf(`status.conditions[${index}].status`, status, STATUSES),
  );
}
