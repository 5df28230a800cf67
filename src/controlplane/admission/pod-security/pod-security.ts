/**
 * Pod Security Admission: refuses pods that violate the level of their namespace, or warns about
 * them.
 *
 * There are no exemptions, as in a server without an admission configuration.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
import { sameJson } from "../../../kube/json.ts";
import { invalid } from "../../../kube/field-errors.ts";
import type { SentObject } from "../../../kube/object.ts";
import { groupResourceOf } from "../../../kube/resource.ts";
import { type ResourceName, asKind, collectionOf } from "../../resource-name.ts";
import type { AdmissionRequest } from "../attributes.ts";
import { refusal } from "../refusal.ts";
import type { WebhookSource } from "../webhooks.ts";
import {
  type LevelVersion,
  hasSecurityLabels,
  isStricter,
  sameLevel,
  securityPolicyOf,
  showLevel,
} from "./levels.ts";
import { violationsOf } from "./standards.ts";
import { type CheckedPod, showDetails } from "./violation.ts";
import { tableOf } from "../../../table.ts";

const PODS: ResourceName<SentObject & CheckedPod> = { group: "", plural: "pods" };
const MAX_CHECKED_PODS = 3000;
const IGNORED = new Set([
  "exec",
  "attach",
  "binding",
  "eviction",
  "log",
  "portforward",
  "proxy",
  "status",
]);

type Template = CheckedPod | null | undefined;

interface TemplateOwner extends SentObject {
  readonly template?: Template;
  readonly spec?: {
    readonly template?: Template;
    readonly jobTemplate?: { readonly spec?: { readonly template?: Template } };
  };
}

const ownTemplate = ({ spec }: TemplateOwner): Template => spec?.template;

/** The pod templates of the kinds that make pods. */
const TEMPLATES = tableOf<(object: TemplateOwner) => Template>({
  podtemplates: ({ template }) => template,
  replicationcontrollers: ownTemplate,
  "replicasets.apps": ownTemplate,
  "deployments.apps": ownTemplate,
  "statefulsets.apps": ownTemplate,
  "daemonsets.apps": ownTemplate,
  "jobs.batch": ownTemplate,
  "cronjobs.batch": ({ spec }) => spec?.jobTemplate?.spec?.template,
});

/** Checks pods, objects with pod templates, and namespaces. */
export class PodSecurity {
  readonly #source: WebhookSource;

  constructor(source: WebhookSource) {
    this.#source = source;
  }

  /** Warns, or refuses. @throws StatusError 403 for a pod, 422 for labels of a namespace */
  validate(request: AdmissionRequest): void {
    const { operation, resource, subresource, object } = request;
    if ((operation !== "CREATE" && operation !== "UPDATE") || !resource.builtIn || !object) return;
    const name = groupResourceOf(resource);
    const pod = asKind(PODS, resource, object);
    if (pod) this.#validatePod(request, pod);
    else if (subresource !== "") return;
    else if (name === "namespaces") this.#validateNamespace(request, object);
    else this.#validateTemplate(request, TEMPLATES.get(name)?.(object));
  }

  #labelsOf({ namespace }: AdmissionRequest): Readonly<Record<string, string>> | undefined {
    const labels = this.#source.store.get("namespaces", namespace)?.metadata.labels;
    return hasSecurityLabels(labels) ? labels : undefined;
  }

  #validatePod(request: AdmissionRequest, pod: CheckedPod): void {
    const labels = this.#labelsOf(request);
    if (!labels || IGNORED.has(request.subresource)) return;
    const old = request.oldObject && asKind(PODS, request.resource, request.oldObject);
    if (old && !isSignificant(pod, old)) return;
    const { enforce, warn } = securityPolicyOf(labels).policy;
    const violations = violationsOf(pod, enforce);
    if (violations.length > 0) {
      const text = `violates PodSecurity ${JSON.stringify(showLevel(enforce))}: ${showDetails(violations)}`;
      throw refusal(request, text);
    }
    if (!sameLevel(enforce, warn)) warnOf(request, pod, warn);
  }

  #validateTemplate(request: AdmissionRequest, template: Template): void {
    const labels = template && this.#labelsOf(request);
    if (labels) warnOf(request, template, securityPolicyOf(labels).policy.warn);
  }

  #validateNamespace(request: AdmissionRequest, object: SentObject): void {
    const { labels = {}, name = "" } = object.metadata;
    const before = request.oldObject && securityPolicyOf(request.oldObject.metadata.labels);
    const { policy, errors } = securityPolicyOf(labels);
    if (errors.length > 0 && !sameJson(errors, before?.errors)) {
      throw invalid({ group: "", kind: "Namespace" }, name, [...errors]);
    }
    if (!before) return;
    const [now, old] = [policy.enforce, before.policy.enforce];
    if (sameLevel(now, old) || now.level === "privileged") return;
    if (now.minor === old.minor && !isStricter(now.level, old.level)) return;
    for (const text of this.#warnings(name, now)) request.warn(text);
  }

  /** Warnings about the existing pods that would violate a new level. */
  #warnings(namespace: string, level: LevelVersion): string[] {
    const pods = prioritised(this.#source.store.list(collectionOf(PODS), namespace));
    const found = new Map<string, string[]>();
    for (const pod of pods.slice(0, MAX_CHECKED_PODS)) {
      const violations = violationsOf(pod, level);
      if (violations.length === 0) continue;
      const reasons = violations.map(({ reason }) => reason).join(", ");
      found.set(reasons, [...(found.get(reasons) ?? []), pod.metadata.name ?? ""]);
    }
    const shown = [...found].map(([reasons, names]) => `${showPods(names)}: ${reasons}`).sort();
    if (shown.length > 0) {
      shown.unshift(
        `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(showLevel(level))}`,
      );
    }
    if (pods.length > MAX_CHECKED_PODS) {
      shown.unshift(
        `new PodSecurity enforce level only checked against the first ${MAX_CHECKED_PODS} of ${pods.length} existing pods`,
      );
    }
    return shown;
  }
}

function warnOf({ warn }: AdmissionRequest, pod: CheckedPod, level: LevelVersion): void {
  const violations = violationsOf(pod, level);
  if (violations.length === 0) return;
  warn(`would violate PodSecurity ${JSON.stringify(showLevel(level))}: ${showDetails(violations)}`);
}

function showPods(names: readonly string[]): string {
  const [first = ""] = [...names].sort();
  if (names.length === 1) return first;
  const others = names.length - 1;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}

/** The first pod of each controller comes before its others. */
function prioritised<T extends SentObject>(pods: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  const rest = new Set(
    pods.filter(({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? "";
      const isRepeated = owner !== "" && seen.has(owner);
      seen.add(owner);
      return isRepeated;
    }),
  );
  return [...pods.filter((pod) => !rest.has(pod)), ...rest];
}

/** Whether an update changes an image or adds a container; other changes are not checked again. */
function isSignificant({ spec }: CheckedPod, { spec: old }: CheckedPod): boolean {
  const imagesOf = ({ containers, initContainers = [] }: CheckedPod["spec"]): unknown => [
    (containers ?? []).map(({ image }) => image),
    initContainers.map(({ image }) => image),
  ];
  if (!sameJson(imagesOf(spec), imagesOf(old))) return true;
  return (spec.ephemeralContainers ?? []).some(
    ({ name, image }) => old.ephemeralContainers?.find((one) => one.name === name)?.image !== image,
  );
}
