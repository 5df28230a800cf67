/** Rules of the kind Ingress. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { addressErrors, parseAddress } from "../../shared/addresses/addresses.ts";
import { loadBalancerAddresses } from "../../shared/addresses/load-balancers.ts";
import { portNameErrors, portNumber } from "../../shared/checks.ts";
import { asGiven } from "../../strategies/emptied.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer, textColumn } from "../../tables/column.ts";
import { referenceErrors } from "./shared.ts";

interface Backend {
  resource?: { apiGroup?: string | null; kind: string; name: string };
  service?: { name: string; port?: { name?: string; number?: number } };
}

interface IngressPath {
  path?: string;
  pathType?: string;
  backend: Backend;
}

interface Ingress extends SentObject {
  spec: {
    ingressClassName?: string;
    defaultBackend?: Backend;
    rules?: { host?: string; http?: { paths: IngressPath[] | null } }[];
    tls?: { hosts?: string[]; secretName?: string }[];
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const FORBIDDEN_PARTS = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_ENDS = ["/..", "/."];

const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function ingressErrors(object: Ingress): FieldError[] {
  const { spec } = object;
  const { defaultBackend, rules = [], tls = [], ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && !defaultBackend) {
    errors.push(
      invalidValue(
        "spec",
        asGiven(spec, "rules"),
        "either `defaultBackend` or `rules` must be specified",
      ),
    );
  }
  if (defaultBackend) errors.push(...backendErrors("spec.defaultBackend", defaultBackend));
  for (const [index, { host = "", http }] of rules.entries()) {
    const at = `spec.rules[${index}]`;
    errors.push(...hostErrors(`${at}.host`, host));
    if (!http) continue;
    const paths = http.paths ?? [];
    if (paths.length === 0) errors.push(required(`${at}.http.paths`));
    for (const [position, path] of paths.entries()) {
      errors.push(...pathErrors(`${at}.http.paths[${position}]`, path));
    }
  }
  for (const [index, { hosts = [], secretName = "" }] of tls.entries()) {
    const at = `spec.tls[${index}]`;
    for (const [position, host] of hosts.entries()) {
      const check = host.includes("*") ? wildcardErrors : dns1123SubdomainErrors;
      errors.push(...nameErrorsAt(`${at}.hosts[${position}]`, host, check));
    }
    if (secretName !== "") {
      errors.push(...nameErrorsAt(`${at}.secretName`, secretName, dns1123SubdomainErrors));
    }
  }
  if (ingressClassName !== undefined) {
    errors.push(...nameErrorsAt("spec.ingressClassName", ingressClassName, dns1123SubdomainErrors));
  }
  return errors;
}

/** Validates that the annotation and `ingressClassName` agree when both are set. */
function newIngressErrors(object: Ingress): FieldError[] {
  const annotated = object.metadata.annotations?.[CLASS_ANNOTATION];
  const named = object.spec.ingressClassName;
  if (annotated === undefined || named === undefined || annotated === named) return [];
  return [
    invalidValue(
      `annotations.${CLASS_ANNOTATION}`,
      annotated,
      "must match `ingressClassName` when both are specified",
    ),
  ];
}

/** Warns about the old annotation of the class. */
function ingressWarnings(object: SentObject, old: SentObject | undefined): string[] {
  return (old ?? object.metadata.annotations?.[CLASS_ANNOTATION] === undefined)
    ? []
    : [
        `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
      ];
}

function ingressStatusErrors(object: Ingress): FieldError[] {
  const entries = object.status?.loadBalancer?.ingress ?? [];
  return entries.flatMap(({ ip = "", hostname = "" }, index) => {
    const at = `status.loadBalancer.ingress[${index}]`;
    return [
      ...(ip === "" ? [] : addressErrors(`${at}.ip`, ip)),
      ...(hostname === "" ? [] : hostnameErrors(`${at}.hostname`, hostname)),
    ];
  });
}

/** Validates a DNS name, which must not be an IP address. */
function hostnameErrors(field: string, name: string): FieldError[] {
  const errors = nameErrorsAt(field, name, dns1123SubdomainErrors);
  return parseAddress(name)
    ? [...errors, invalidValue(field, name, "must be a DNS name, not an IP address")]
    : errors;
}

const wildcardErrors = (name: string): string[] =>
  /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)
    ? []
    : [WILDCARD];

function hostErrors(field: string, host: string): FieldError[] {
  if (host === "") return [];
  const errors = parseAddress(host)
    ? [invalidValue(field, host, "must be a DNS name, not an IP address")]
    : [];
  const check = host.includes("*") ? wildcardErrors : dns1123SubdomainErrors;
  return [...errors, ...nameErrorsAt(field, host, check)];
}

function pathErrors(at: string, { path = "", pathType, backend }: IngressPath): FieldError[] {
  if (pathType === undefined) return [required(`${at}.pathType`, "pathType must be specified")];
  const errors: FieldError[] = [];
  const field = `${at}.path`;
  if (!PATH_TYPES.includes(pathType)) {
    errors.push(notSupported(`${at}.pathType`, pathType, PATH_TYPES));
  } else {
    const isLoose = pathType === "ImplementationSpecific";
    if (!path.startsWith("/") && !(isLoose && path === "")) {
      errors.push(invalidValue(field, path, "must be an absolute path"));
    }
    if (!isLoose) {
      for (const part of FORBIDDEN_PARTS) {
        if (path.includes(part)) {
          errors.push(invalidValue(field, path, `must not contain '${part}'`));
        }
      }
      for (const end of FORBIDDEN_ENDS) {
        if (path.endsWith(end)) errors.push(invalidValue(field, path, `cannot end with '${end}'`));
      }
    }
  }
  return [...errors, ...backendErrors(`${at}.backend`, backend)];
}

function backendErrors(at: string, { resource, service }: Backend): FieldError[] {
  if (resource && service) {
    return [invalidValue(at, "", "cannot set both resource and service backends")];
  }
  if (resource) return referenceErrors(`${at}.resource`, resource);
  if (!service) return [invalidValue(at, "", "resource or service backend is required")];
  const { name, port: { name: portName = "", number = 0 } = {} } = service;
  const errors =
    name === ""
      ? [required(`${at}.service.name`)]
      : nameErrorsAt(`${at}.service.name`, name, dns1123LabelErrors);
  if (portName !== "" && number !== 0) {
    errors.push(invalidValue(at, "", "cannot set both port name & port number"));
  } else if (portName !== "") {
    errors.push(...nameErrorsAt(`${at}.service.port.name`, portName, portNameErrors));
  } else if (number !== 0) errors.push(...portNumber(`${at}.service.port.number`, number));
  else errors.push(required(at, "port name or number is required"));
  return errors;
}

function hosts(ingress: SentObject): string {
  const rules = listAt(ingress, "spec.rules");
  const shown: string[] = [];
  for (const rule of rules) {
    // The remainder counts rules, with a host or not, once three hosts are listed and a rule
    // follows.
    if (shown.length === 3) return `${shown.join(",")} + ${rules.length - 3} more...`;
    const host = textAt(rule, "host");
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}

/** The rules of Ingresses. */
export const ingressRules: KindRules = {
  validate: ingressErrors,
  validateCreate: newIngressErrors,
  validateStatus: ingressStatusErrors,
  warnings: ingressWarnings,
  status: "all",
  generation: ["spec"],
  table: printer([
    nameColumn,
    textColumn("Class", "spec.ingressClassName", "<none>"),
    column("Hosts", hosts),
    column("Address", (object) => loadBalancerAddresses(object).join(",")),
    column("Ports", (object) => (listAt(object, "spec.tls").length > 0 ? "80, 443" : "80")),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  columnTexts: {
    Class: "The name of the IngressClass resource that should be used for additional configuration",
    Hosts: "Hosts that incoming requests are matched against before the ingress rule",
    Address: "Address is a list containing ingress points for the load-balancer",
    Ports: "Ports of TLS configurations that open",
  },
};
