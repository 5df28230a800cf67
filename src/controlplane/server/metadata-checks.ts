/**
 * How often the metadata of a changed object is checked: once as any object's, once as any change's, and then as the
 * validation of its kind does. Errors are told as often as they are found, and clients see it.
 *
 * @module
 */
import type { FieldError } from "../../kube/field-errors.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../kube/metadata.ts";
import { pathSegmentErrors } from "../../kube/names.ts";
import type { SentObject } from "../../kube/object.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { ServedResource, Strategy } from "../kinds.ts";
import type { Endpoint } from "./cluster.ts";

/** `whole`: all of it, as that of a new object; `change`: what may not change, and labels, annotations and owners. */
type Check = "whole" | "change";

const CHANGE: readonly Check[] = ["change"];
const WHOLE: readonly Check[] = ["whole"];
const CHANGE_THEN_WHOLE: readonly Check[] = ["change", "whole"];
const WHOLE_THEN_CHANGE: readonly Check[] = ["whole", "change"];

/** What the validation of a kind checks when its main endpoint is written; `CHANGE` for the others. */
const KIND_CHECKS: Readonly<Record<string, readonly Check[]>> = {
  pods: CHANGE_THEN_WHOLE,
  endpoints: CHANGE_THEN_WHOLE,
  configmaps: CHANGE_THEN_WHOLE,
  secrets: CHANGE_THEN_WHOLE,
  serviceaccounts: CHANGE_THEN_WHOLE,
  persistentvolumeclaims: CHANGE_THEN_WHOLE,
  persistentvolumes: ["whole", "whole"],
  namespaces: WHOLE_THEN_CHANGE,
  nodes: WHOLE_THEN_CHANGE,
  limitranges: WHOLE,
  events: [],
  "controllerrevisions.apps": CHANGE_THEN_WHOLE,
  "jobs.batch": WHOLE_THEN_CHANGE,
  "poddisruptionbudgets.policy": [],
  "ingresses.networking.k8s.io": CHANGE_THEN_WHOLE,
  "ingressclasses.networking.k8s.io": CHANGE_THEN_WHOLE,
  "ipaddresses.networking.k8s.io": WHOLE_THEN_CHANGE,
  "endpointslices.discovery.k8s.io": WHOLE,
  "roles.rbac.authorization.k8s.io": WHOLE_THEN_CHANGE,
  "rolebindings.rbac.authorization.k8s.io": WHOLE_THEN_CHANGE,
  "clusterroles.rbac.authorization.k8s.io": WHOLE_THEN_CHANGE,
  "clusterrolebindings.rbac.authorization.k8s.io": WHOLE_THEN_CHANGE,
  "storageclasses.storage.k8s.io": WHOLE_THEN_CHANGE,
  "csinodes.storage.k8s.io": WHOLE,
  "volumeattachments.storage.k8s.io": WHOLE,
  "volumeattributesclasses.storage.k8s.io": CHANGE_THEN_WHOLE,
  "csistoragecapacities.storage.k8s.io": WHOLE_THEN_CHANGE,
  "runtimeclasses.node.k8s.io": WHOLE_THEN_CHANGE,
  "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io": WHOLE,
  "flowschemas.flowcontrol.apiserver.k8s.io": WHOLE,
  "validatingwebhookconfigurations.admissionregistration.k8s.io": WHOLE,
  "mutatingwebhookconfigurations.admissionregistration.k8s.io": WHOLE,
  "validatingadmissionpolicies.admissionregistration.k8s.io": WHOLE,
  "validatingadmissionpolicybindings.admissionregistration.k8s.io": WHOLE,
  "mutatingadmissionpolicies.admissionregistration.k8s.io": WHOLE,
  "mutatingadmissionpolicybindings.admissionregistration.k8s.io": WHOLE,
  "deviceclasses.resource.k8s.io": WHOLE_THEN_CHANGE,
  "resourceclaims.resource.k8s.io": WHOLE_THEN_CHANGE,
  "resourceclaimtemplates.resource.k8s.io": WHOLE_THEN_CHANGE,
  "apiservices.apiregistration.k8s.io": CHANGE_THEN_WHOLE,
  "certificatesigningrequests.certificates.k8s.io": WHOLE_THEN_CHANGE,
};

/** The same for subresources. */
const SUBRESOURCE_CHECKS: Readonly<Record<string, readonly Check[]>> = {
  "cronjobs.batch": [],
  "poddisruptionbudgets.policy": [],
  "certificatesigningrequests.certificates.k8s.io": WHOLE_THEN_CHANGE,
};

/** Groups and kinds whose finalizers may have any qualified name. */
const FREE_FINALIZERS: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
  "policy",
]);

/** Whether finalizers without a domain must be those that Kubernetes knows. */
export function hasStrictFinalizers({ builtIn, group, kind }: ServedResource): boolean {
  const isFree = FREE_FINALIZERS.has(group) || (group === "" && kind === "Event");
  return builtIn && !isFree;
}

/** Resources that leave their metadata to the server, which looks at it when all else is right. */
const CHECKED_LATE: ReadonlySet<string> = new Set(["events", "poddisruptionbudgets.policy"]);

/** What is told of a new object, of all that is wrong with its metadata and with the rest. */
export function createErrors(
  resource: ServedResource,
  ofMetadata: FieldError[],
  ofRest: FieldError[],
): FieldError[] {
  if (!CHECKED_LATE.has(groupResourceOf(resource))) return [...ofMetadata, ...ofRest];
  return ofRest.length > 0 ? ofRest : ofMetadata;
}

/** The kind as errors name it: inside of the server, both groups have the Event of the core group. */
export function errorKindOf(group: string, kind: string): { group: string; kind: string } {
  return { group: group === "events.k8s.io" ? "" : group, kind };
}

/** What is wrong with the metadata of a changed object: told before the errors of its kind, and among them. */
export function metadataErrors(
  { resource, strategy, subresource }: Endpoint,
  object: SentObject,
  old: SentObject,
): { readonly first: FieldError[]; readonly second: FieldError[] } {
  const whole = (nameRule: Strategy["validateName"], strictFinalizers: boolean): FieldError[] =>
    validateObjectMeta(object.metadata, resource.namespaced, nameRule, { strictFinalizers });
  const change = (strictFinalizers: boolean): FieldError[] =>
    validateObjectMetaUpdate(object.metadata, old.metadata, { strictFinalizers });
  const own = (subresource === "" ? KIND_CHECKS : SUBRESOURCE_CHECKS)[groupResourceOf(resource)];
  const isStrict = hasStrictFinalizers(resource);
  const loose = change(false);
  const [earlier = [], later = []] = (own ?? CHANGE).map((check) =>
    check === "change"
      ? isStrict
        ? change(true)
        : loose
      : whole((name, prefix) => strategy.validateName(name, prefix), isStrict),
  );
  return {
    first: [...whole(pathSegmentErrors, false), ...loose, ...earlier],
    second: later,
  };
}
