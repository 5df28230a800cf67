/**
 * What differs from kind to kind when an object is deleted.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../kube/resource.ts";
import type { AdmissionPlugins } from "../admission/plugins.ts";
import { markForDeletion } from "../crd/definition-strategy.ts";
import { forbiddenTo } from "./failures.ts";

/** How a kind goes. */
export interface DeletionRule {
  /** The answer to DELETE is the object, not a `Status`. */
  readonly answersObject: boolean;
  /** What becomes of dependents when nobody says: `unsupported` kinds never get the collector's finalizers. */
  readonly dependents: "background" | "orphan" | "unsupported";
  /** A `Warning` when no policy was asked for. */
  readonly warning?: string;
  /** Kinds with grace: its length, from what was asked. */
  readonly graceSeconds?: (object: SentObject, asked: number | undefined) => number;
  /** A deletion is always one of the object that was found. */
  readonly pinsUid?: boolean;
  /** Throws when the object may not be deleted. */
  readonly check?: (object: SentObject, plugins: AdmissionPlugins) => void;
  /** The first DELETE only begins the end: changes the object, whose deletionTimestamp is set. */
  readonly begin?: (object: SentObject, now: string) => void;
  /** Whether something beyond finalizers and grace still holds the object. */
  readonly holds?: (object: SentObject) => boolean;
}

const ANSWERED_WITH_OBJECT = new Set([
  "pods",
  "services",
  "serviceaccounts",
  "persistentvolumeclaims",
  "persistentvolumes",
  "podtemplates",
  "resourcequotas",
  "namespaces",
  "customresourcedefinitions.apiextensions.k8s.io",
  "storageclasses.storage.k8s.io",
  "csidrivers.storage.k8s.io",
  "csinodes.storage.k8s.io",
  "volumeattachments.storage.k8s.io",
  "volumeattributesclasses.storage.k8s.io",
  "resourceclaims.resource.k8s.io",
  "resourceclaimtemplates.resource.k8s.io",
  "deviceclasses.resource.k8s.io",
  "resourceslices.resource.k8s.io",
]);

const UNDELETABLE_NAMESPACES = new Set(["default", "kube-system", "kube-public"]);

const NAMESPACES = { group: "", plural: "namespaces" };

/** The rule for a resource. */
export function deletionRule(resource: Pick<ResourceInfo, "group" | "plural">): DeletionRule {
  const name = groupResourceOf(resource);
  const rule: DeletionRule = {
    answersObject: ANSWERED_WITH_OBJECT.has(name),
    dependents: "background",
  };
  return { ...rule, ...SPECIAL[name] };
}

interface PodLike extends SentObject {
  readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number };
  readonly status?: { readonly phase?: string };
}

function podGraceSeconds(object: SentObject, asked: number | undefined): number {
  const { spec, status } = object as PodLike;
  const period = asked ?? spec?.terminationGracePeriodSeconds ?? 0;
  // Nobody would end a pod that has no node, or that has ended already.
  if (!spec?.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
  return period < 0 ? 1 : period;
}

const SPECIAL: Readonly<Record<string, Partial<DeletionRule>>> = {
  pods: { graceSeconds: podGraceSeconds },
  events: { dependents: "unsupported" },
  "events.events.k8s.io": { dependents: "unsupported" },
  replicationcontrollers: { dependents: "orphan" },
  "jobs.batch": {
    dependents: "orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  "customresourcedefinitions.apiextensions.k8s.io": {
    pinsUid: true,
    dependents: "unsupported",
    begin: (object, now) => markForDeletion(object, now),
  },
  "priorityclasses.scheduling.k8s.io": {
    check({ metadata: { name = "" } }) {
      if (!name.startsWith("system-")) return;
      const resource = { group: "scheduling.k8s.io", plural: "priorityclasses" };
      throw forbiddenTo(resource, name, "this is a system priority class and cannot be deleted");
    },
  },
  namespaces: {
    pinsUid: true,
    check({ metadata: { name = "" } }, plugins) {
      if (UNDELETABLE_NAMESPACES.has(name) && plugins.isOn("NamespaceLifecycle")) {
        throw forbiddenTo(NAMESPACES, name, "this namespace may not be deleted");
      }
    },
    begin(object) {
      const namespace = object as SentObject & { status?: { phase?: string } };
      namespace.status = { ...namespace.status, phase: "Terminating" };
    },
    holds: (object) =>
      ((object as SentObject & { spec?: { finalizers?: string[] } }).spec?.finalizers ?? [])
        .length > 0,
  },
};
