import type {
  HTTPIngressPath,
  Ingress as IngressKind,
  IngressBackend,
  IngressServiceBackend,
} from "../../../../generated/k8s/networking-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { addressErrors } from "../../shared/addresses/addresses.ts";
import { loadBalancerAddresses } from "../../shared/addresses/load-balancers.ts";
import {
  checkHostname,
  checkNoAddress,
  checkPortNumber,
  checked,
  checkedChange,
  portNameErrors,
} from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import { asGiven } from "../../go/emptied.ts";
import type { KindRules } from "../../kind-rules.ts";
import { checkReference } from "./reference-validation.ts";

type Ingress = Sent<IngressKind>;

const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const FORBIDDEN_PARTS = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_ENDS = ["/..", "/."];

const WILDCARD =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function checkIngress(ingress: Check<Ingress>): void {
  const spec = ingress.at("spec");
  const { defaultBackend, rules = [] } = spec.value ?? {};
  if (rules.length === 0 && !defaultBackend) {
    const shown = asGiven(spec.value, "rules");
    spec.invalid("either `defaultBackend` or `rules` must be specified", shown);
  }
  spec.at("defaultBackend").ifSet(checkBackend);
  spec.at("rules").each((rule) => {
    checkHost(rule.at("host"));
    rule.at("http").ifSet((http) => {
      if (http.at("paths").given()) http.at("paths").each(checkPath);
    });
  });
  spec.at("tls").each((tls) => {
    tls.at("hosts").each((host) => host.named(hostRuleFor(host.value)));
    tls.at("secretName").nameIfGiven(dns1123SubdomainErrors);
  });
  spec.at("ingressClassName").ifSet((name) => name.named(dns1123SubdomainErrors));
}

/** Validates that the annotation and `ingressClassName` agree when both are set. */
function checkClass(ingress: Check<Ingress>): void {
  const { metadata, spec } = ingress.value;
  const annotated = metadata.annotations?.[CLASS_ANNOTATION];
  const named = spec?.ingressClassName;
  if (annotated === undefined || named === undefined || annotated === named) return;
  ingress
    .child(`annotations.${CLASS_ANNOTATION}`, annotated)
    .invalid("must match `ingressClassName` when both are specified");
}

/** Warns about the old annotation of the class. */
function ingressWarnings(object: SentObject, old: SentObject | undefined): string[] {
  return (old ?? object.metadata.annotations?.[CLASS_ANNOTATION] === undefined)
    ? []
    : [
        `annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`,
      ];
}

function checkStatus(ingress: Check<Ingress>): void {
  ingress.at("status", "loadBalancer", "ingress").each((entry) => {
    entry.at("ip").nameIfGiven(addressErrors);
    if (entry.value.hostname) checkHostname(entry.at("hostname"));
  });
}

const wildcardErrors = (name: string): string[] =>
  /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)
    ? []
    : [WILDCARD];

const hostRuleFor = (host: string): typeof wildcardErrors =>
  host.includes("*") ? wildcardErrors : dns1123SubdomainErrors;

function checkHost(host: Check<string | undefined>): void {
  if (!host.value) return;
  checkNoAddress(host);
  host.named(hostRuleFor(host.value));
}

function checkPath(rule: Check<Loose<HTTPIngressPath>>): void {
  const { path = "", pathType } = rule.value;
  const type = rule.at("pathType");
  const field = rule.child("path", path);
  if (pathType === undefined) {
    type.required("pathType must be specified");
    return;
  }
  const isLoose = pathType === "ImplementationSpecific";
  if (!PATH_TYPES.includes(pathType)) type.notSupported(PATH_TYPES);
  else if (!path.startsWith("/") && !(isLoose && path === "")) {
    field.invalid("must be an absolute path");
  }
  if (pathType === "Exact" || pathType === "Prefix") {
    for (const part of FORBIDDEN_PARTS) {
      if (path.includes(part)) field.invalid(`must not contain '${part}'`);
    }
    for (const end of FORBIDDEN_ENDS) {
      if (path.endsWith(end)) field.invalid(`cannot end with '${end}'`);
    }
  }
  checkBackend(rule.child("backend", rule.value.backend ?? {}));
}

function checkBackend(backend: Check<Loose<IngressBackend>>): void {
  const { resource, service } = backend.value;
  if (resource && service) backend.invalid("cannot set both resource and service backends", "");
  else if (resource) checkReference(backend.child("resource", resource));
  else if (service) checkService(backend.child("service", service), backend);
  else backend.invalid("resource or service backend is required", "");
}

function checkService(
  service: Check<Loose<IngressServiceBackend>>,
  backend: Check<Loose<IngressBackend>>,
): void {
  const { name: portName = "", number = 0 } = service.value.port ?? {};
  service.at("name").givenName(dns1123LabelErrors);
  if (portName !== "" && number !== 0) {
    backend.invalid("cannot set both port name & port number", "");
  } else if (portName !== "") service.at("port", "name").named(portNameErrors);
  else if (number !== 0) checkPortNumber(service.at("port", "number"));
  else backend.required("port name or number is required");
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

export const ingressRules: KindRules = {
  validate: checked(checkIngress),
  validateCreate: checked(checkClass),
  validateStatus: checkedChange(checkStatus),
  warnings: ingressWarnings,
  status: "all",
  generation: ["spec"],
  table: {
    Class: ["spec.ingressClassName", "<none>"],
    Hosts: hosts,
    Address: (object) => loadBalancerAddresses(object).join(","),
    Ports: (object) => (listAt(object, "spec.tls").length > 0 ? "80, 443" : "80"),
  },
  metadataChecks: ["change", "whole"],
};
