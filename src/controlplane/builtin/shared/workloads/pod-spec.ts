/** Validation of pods and pod templates. */
import type { Check } from "../../../../kube/check.ts";
import { validateAnnotations, validateLabels } from "../../../../kube/metadata.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { addressErrors } from "../addresses/addresses.ts";
import { checkVolumes } from "../volumes/volumes.ts";
import { checkPodResources, checkResources } from "../pods/container-resources.ts";
import { checkContainers } from "../pods/containers.ts";
import { checkAffinity, checkSpread, checkToleration } from "../pods/scheduling.ts";
import {
  checkHostUsers,
  checkOperatingSystem,
  checkPodContext,
  checkProcesses,
} from "../pods/security-context.ts";
import {
  type PodResourceClaim,
  type PodSpec,
  type PodTemplate,
  allContainersOf,
} from "../pods/pod-shapes.ts";

const MAX_INT32 = 2_147_483_647;
const MAX_HOSTNAME = 64;
/** The annotation of a pod that stands for one made without the API. */
export const MIRROR = "kubernetes.io/config.mirror";

/** The annotation with the AppArmor profile of a container, whose name follows. */
export const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

/** Validates the template of a workload, its metadata included. */
export function checkTemplate(template: Check<PodTemplate>): void {
  const spec = template.at("spec");
  checkPodTemplateMetadata(template);
  checkPodSpec(spec, undefined);
  const ephemeral = spec.at("ephemeralContainers");
  if (ephemeral.count > 0) {
    ephemeral.forbidden("ephemeral containers not allowed in pod template");
  }
}

export function checkPodTemplateMetadata(template: Check<PodTemplate>): void {
  const { labels, annotations } = template.value.metadata ?? {};
  template.child("labels", labels).by(validateLabels);
  template.child("annotations", annotations).by(validateAnnotations);
  checkPodAnnotations(template.child("annotations", annotations), template.value.spec);
}

/** Validates the annotations that the API server interprets. */
export function checkPodAnnotations(
  annotations: Check<Record<string, string> | undefined>,
  spec: PodSpec,
): void {
  const mirror = annotations.entry(MIRROR);
  if (mirror.value !== undefined && !spec.nodeName) {
    mirror.invalid("must set spec.nodeName if mirror pod annotation is set");
  }
  annotations.entry("controller.kubernetes.io/pod-deletion-cost").ifSet((cost) => {
    if (!isInt32(cost.value)) cost.invalid("must be a 32bit integer");
  });
  const names = allContainersOf(spec).map(({ name }) => name);
  annotations.eachEntry((profile, key) => {
    if (!key.startsWith(APP_ARMOR)) return;
    const name = key.slice(APP_ARMOR.length);
    if (!names.includes(name)) profile.invalid("container not found", name);
    if (!/^(runtime\/default|unconfined|localhost\/.*|)$/.test(profile.value)) {
      profile.invalid(`invalid AppArmor profile name: ${JSON.stringify(profile.value)}`);
    }
  });
}

const isInt32 = (text: string): boolean =>
  /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) <= MAX_INT32;

/** Validates the spec of a pod or a template; `podName` is undefined for a template. */
export function checkPodSpec(spec: Check<PodSpec>, podName: string | undefined): void {
  const volumes = checkVolumes(spec.at("volumes"), podName);
  const claimNames = new Set<string>();
  const gateNames = new Set<string>();
  spec.at("resourceClaims").each((claim) => checkResourceClaim(claim, claimNames));
  checkContainers(spec, volumes);
  checkPodResources(spec);
  checkHostNetwork(spec, podName !== undefined);
  spec.at("restartPolicy").oneOf(["Always", "OnFailure", "Never"]);
  spec.at("dnsPolicy").oneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]);
  spec.at("nodeSelector").by(validateLabels);
  checkPodContext(spec);
  checkProcesses(spec);
  checkAffinity(spec.at("affinity"));
  checkDns(spec);
  spec.at("readinessGates").each((gate) => gate.at("conditionType").named(qualifiedNameErrors));
  spec.at("schedulingGates").each((gate) => {
    gate.as(gate.value.name).named(qualifiedNameErrors);
    gate.as(gate.value.name).uniqueIn(gateNames);
  });
  checkSpread(spec.at("topologySpreadConstraints"));
  checkHostUsers(spec);
  checkNames(spec);
  spec.at("tolerations").each(checkToleration);
  spec.at("hostAliases").each((alias) => {
    alias.at("ip").named(addressErrors);
    alias.at("hostnames").each((name) => name.named(dns1123SubdomainErrors));
  });
  checkClasses(spec);
  checkOperatingSystem(spec);
}

function checkResourceClaim(claim: Check<PodResourceClaim>, names: Set<string>): void {
  const { name: ownName, resourceClaimName, resourceClaimTemplateName } = claim.value;
  const name = claim.at("name");
  if (name.given()) {
    if (names.has(ownName)) name.duplicate();
    else name.named(dns1123LabelErrors);
  }
  names.add(ownName);
  const shown = {
    Name: ownName,
    ResourceClaimName: resourceClaimName ?? null,
    ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
  };
  const given = [resourceClaimName, resourceClaimTemplateName].filter((it) => it !== undefined);
  if (given.length > 1) {
    claim.invalid(
      "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      shown,
    );
  }
  if (given.length === 0) {
    claim.invalid("must specify one of: `resourceClaimName`, `resourceClaimTemplateName`", shown);
  }
  for (const part of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
    claim.at(part).ifSet((it) => it.named(dns1123SubdomainErrors));
  }
}

/** Validates that the host ports of a pod on the host's network equal its container ports. */
function checkHostNetwork(spec: Check<PodSpec>, isPod: boolean): void {
  if (spec.value.hostNetwork !== true) return;
  spec.at("containers").each((container) =>
    container.at("ports").each((port) => {
      const { hostPort = 0, containerPort } = port.value;
      if (hostPort === containerPort || (hostPort === 0 && !isPod)) return;
      const detail = "must match `containerPort` when `hostNetwork` is true";
      port.at("hostPort").invalid(detail, hostPort);
    }),
  );
}

function checkDns(spec: Check<PodSpec>): void {
  const config = spec.at("dnsConfig");
  const nameservers = config.at("nameservers");
  const searches = config.at("searches");
  if (spec.value.dnsPolicy === "None") {
    const when = "when `dnsPolicy` is None";
    if (!config.given(`must provide \`dnsConfig\` ${when}`)) return;
    if (!nameservers.given(`must provide at least one DNS nameserver ${when}`)) return;
  }
  if (nameservers.count > 3) {
    nameservers.invalid("must not have more than 3 nameservers");
  }
  nameservers.each((server) => server.named(addressErrors));
  if (searches.count > 32) {
    searches.invalid("must not have more than 32 search paths");
  }
  if ((searches.value ?? []).join(" ").length > 2048) {
    searches.invalid(
      "must not have more than 2048 characters (including spaces) in the search list",
    );
  }
  searches.each((search) => {
    if (search.value !== ".") search.as(search.value.replace(/\.$/, "")).named(searchPathErrors);
  });
  config.at("options").each((option) => {
    option.as(option.value.name).given("must not be empty");
  });
}

/** Validates a DNS name whose labels may begin with an underscore. */
function searchPathErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 253) errors.push("must be no more than 253 characters");
  const part = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
  if (!new RegExp(`^${part}(\\.${part})*$`).test(name)) {
    errors.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return errors;
}

/** Validates the names that a pod declares or refers to. */
function checkNames(spec: Check<PodSpec>): void {
  const { setHostnameAsFQDN, hostNetwork, activeDeadlineSeconds: deadline = 1 } = spec.value;
  spec.at("hostnameOverride").ifSet((name) => {
    if (setHostnameAsFQDN === true) {
      name.forbidden("may not be specified when setHostnameAsFQDN is true");
    }
    if (hostNetwork === true) name.forbidden("may not be specified when hostNetwork is true");
    if (name.value.length > MAX_HOSTNAME) name.tooLong(MAX_HOSTNAME);
    name.named(dns1123SubdomainErrors);
  });
  spec.at("serviceAccountName").nameIfGiven(dns1123SubdomainErrors);
  spec.at("nodeName").nameIfGiven(dns1123SubdomainErrors);
  if (deadline < 1 || deadline > MAX_INT32) {
    spec.at("activeDeadlineSeconds").invalid(`must be between 1 and ${MAX_INT32}, inclusive`);
  }
  spec.at("hostname").nameIfGiven(dns1123LabelErrors);
  spec.at("subdomain").nameIfGiven(dns1123LabelErrors);
}

function checkClasses(spec: Check<PodSpec>): void {
  spec.at("priorityClassName").nameIfGiven(dns1123SubdomainErrors);
  spec.at("runtimeClassName").ifSet((name) => name.named(dns1123SubdomainErrors));
  spec.at("preemptionPolicy").ifSet(checkPreemptionPolicy);
  spec.at("overhead").ifSet((limits) => checkResources(limits.as({ limits: limits.value })));
}

export function checkPreemptionPolicy(policy: Check<string>): void {
  if (policy.given()) policy.oneOf(["PreemptLowerPriority", "Never"]);
}
