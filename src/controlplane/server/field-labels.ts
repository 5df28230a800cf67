/**
 * Which fields a selector may ask for, and how the API server refuses the others.
 *
 * @module
 */
import { apiVersionOf, groupResourceOf } from "../../kube/resource.ts";
import type { ServedResource } from "../kinds.ts";

/** Kinds whose refusal says only that the label is not supported. */
const SHORT_REFUSAL = new Set([
  "pods",
  "namespaces",
  "services",
  "secrets",
  "events",
  "events.events.k8s.io",
  "replicationcontrollers",
  "nodes",
  "certificatesigningrequests.certificates.k8s.io",
]);

/** Cluster scoped kinds that list their labels, without the namespace. */
const WITHOUT_NAMESPACE = new Set([
  "namespaces",
  "nodes",
  "certificatesigningrequests.certificates.k8s.io",
  "resourceslices.resource.k8s.io",
]);

/** What is wrong with a field selector's field; `undefined` when the resource has it. */
export function fieldErrorFor(resource: ServedResource, field: string): string | undefined {
  if (field === "metadata.name") return undefined;
  const name = groupResourceOf(resource);
  const hasNamespace = resource.namespaced || (resource.builtIn && !WITHOUT_NAMESPACE.has(name));
  if (field === "metadata.namespace" && hasNamespace) return undefined;
  if (resource.selectableFields && Object.hasOwn(resource.selectableFields, field)) {
    return undefined;
  }
  if (name === "resourceslices.resource.k8s.io") {
    return `field label not supported for ${apiVersionOf(resource)}, Kind=${resource.kind}: ${field}`;
  }
  if (!resource.builtIn || SHORT_REFUSAL.has(name)) return `field label not supported: ${field}`;
  if (name === "jobs.batch") return `field label ${JSON.stringify(field)} not supported for Job`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
