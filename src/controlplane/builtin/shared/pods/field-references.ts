/** Validation of references to a pod's own fields, and to the resources of its containers. */
import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { FieldRef, ResourceFieldRef } from "./pod-shapes.ts";

const RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];

/** The fields of a pod that have a field label, whether they can be referred to or not. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const AMOUNTS = /^1([kMGTPE]|[KMGTPE]i)?$/;

const AMOUNTS_TEXT =
  "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the";

/**
 * Validates the path of a `fieldRef`: a field of the pod that is in `supported`, or one label or
 * annotation.
 */
export function checkFieldRef(reference: Check<FieldRef>, supported: readonly string[]): void {
  const path = reference.at("fieldPath");
  const version = reference.at("apiVersion");
  if (!version.given() || !path.given()) return;
  const refuse = (problem: string): void => {
    path.invalid(`error converting fieldPath: ${problem}`);
  };
  if (version.value !== "v1") {
    refuse(`unsupported pod version: ${version.value}`);
    return;
  }
  const field = path.value === "spec.host" ? "spec.nodeName" : path.value;
  const [, whole = "", key = ""] = /^(.*)\['(.*)'\]$/s.exec(field) ?? [];
  if (whole === "metadata.annotations") reference.as(key.toLowerCase()).named(qualifiedNameErrors);
  else if (whole === "metadata.labels") reference.as(key).named(qualifiedNameErrors);
  else if (KNOWN_FIELDS.has(field)) path.as(field).oneOf(supported);
  else if (whole === "") refuse(`field label not supported: ${field}`);
  else refuse(`field label does not support subscript: ${field}`);
}

/**
 * Validates a `resourceFieldRef`.
 *
 * @param isFile - whether it is in a volume, where it must name the container too
 */
export function checkResourceFieldRef(reference: Check<ResourceFieldRef>, isFile: boolean): void {
  const { divisor = "0", resource: name } = reference.value;
  const resource = reference.at("resource");
  if (!isFile || reference.at("containerName").given()) {
    const isPages = /^(limits|requests)\.hugepages-/.test(name);
    if (resource.given() && !isPages) resource.oneOf(RESOURCES);
  }
  if (String(divisor) === "0") return;
  const problem = divisorProblem(name, String(divisor));
  if (problem !== undefined) reference.child("divisor", name).invalid(problem);
}

function divisorProblem(resource: string, divisor: string): string | undefined {
  const kind = resource.replace(/^(limits|requests)\./, "");
  if (kind === resource) return undefined;
  if (kind === "cpu") {
    return divisor === "1m" || divisor === "1"
      ? undefined
      : "only divisor's values 1m and 1 are supported with the cpu resource";
  }
  if (AMOUNTS.test(divisor)) return undefined;
  if (kind === "memory") return `${AMOUNTS_TEXT} memory resource`;
  if (kind === "ephemeral-storage") return `${AMOUNTS_TEXT} local ephemeral storage resource`;
  return kind.startsWith("hugepages-") ? `${AMOUNTS_TEXT} hugepages resource` : undefined;
}
