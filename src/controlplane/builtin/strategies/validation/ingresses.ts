/**
 * Validation of Ingresses and IngressClasses.
 *
 * @module
 */
import { asGiven } from "../emptied.ts";
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
  tooLong,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { addressErrors, parseAddress } from "./addresses.ts";
import { domainPrefixedPathErrors, immutable, portNameErrors, portNumber } from "./checks.ts";
import { segmentErrors } from "./network.ts";

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

export function ingressErrors(object: SentObject): FieldError[] {
  const { spec } = object as Ingress;
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

/** The class may be named in one place only, or in both alike. */
export function newIngressErrors(object: SentObject): FieldError[] {
  const annotated = object.metadata.annotations?.[CLASS_ANNOTATION];
  const named = (object as Ingress).spec.ingressClassName;
  if (annotated === undefined || named === undefined || annotated === named) return [];
  return [
    invalidValue(
      `annotations.${CLASS_ANNOTATION}`,
      annotated,
      "must match `ingressClassName` when both are specified",
    ),
  ];
}

/** What a writer of the old annotation is told. */
export function ingressWarnings(object: SentObject, old: SentObject | undefined): string[] {
  return (old ?? object.metadata.annotations?.[CLASS_ANNOTATION] === undefined)
    ? []
    : [
        `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
      ];
}

export function ingressStatusErrors(object: SentObject): FieldError[] {
  const entries = (object as Ingress).status?.loadBalancer?.ingress ?? [];
  return entries.flatMap(({ ip = "", hostname = "" }, index) => {
    const at = `status.loadBalancer.ingress[${index}]`;
    return [
      ...(ip === "" ? [] : addressErrors(`${at}.ip`, ip)),
      ...(hostname === "" ? [] : hostnameErrors(`${at}.hostname`, hostname)),
    ];
  });
}

/** A DNS name that is not an address. */
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

function referenceErrors(
  at: string,
  { apiGroup, kind, name }: { apiGroup?: string | null; kind: string; name: string },
): FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null
      ? []
      : nameErrorsAt(`${at}.apiGroup`, apiGroup, dns1123SubdomainErrors)),
    ...segmentErrors(`${at}.kind`, kind),
    ...segmentErrors(`${at}.name`, name),
  ];
}

interface IngressClass extends SentObject {
  spec: {
    controller?: string;
    parameters?: {
      apiGroup?: string;
      kind: string;
      name: string;
      scope?: string;
      namespace?: string;
    };
  };
}

const MAX_CONTROLLER = 250;
const SCOPES = ["Cluster", "Namespace"];

export function ingressClassErrors(object: SentObject): FieldError[] {
  const { controller = "", parameters } = (object as IngressClass).spec;
  const errors =
    controller.length > MAX_CONTROLLER ? [tooLong("spec.controller", MAX_CONTROLLER)] : [];
  errors.push(...domainPrefixedPathErrors("spec.controller", controller));
  if (!parameters) return errors;
  const at = "spec.parameters";
  errors.push(...referenceErrors(at, parameters));
  const { scope, namespace } = parameters;
  if (scope === undefined) return [...errors, required(`${at}.scope`)];
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${at}.scope`, scope, SCOPES)];
  if (scope === "Cluster") {
    return namespace === undefined
      ? errors
      : [...errors, forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")];
  }
  return namespace === undefined
    ? [...errors, required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")]
    : [...errors, ...nameErrorsAt(`${at}.namespace`, namespace, dns1123LabelErrors)];
}

export function ingressClassUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const controllerOf = (target: SentObject): string =>
    (target as IngressClass).spec.controller ?? "";
  return [
    ...immutable("spec.controller", controllerOf(object), controllerOf(previous)),
    ...ingressClassErrors(object),
  ];
}
