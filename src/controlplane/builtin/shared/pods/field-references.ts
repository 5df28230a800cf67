/** Validation of references to a pod's own fields, and to the resources of its containers. */
import {
  type FieldError,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { textAt } from "../../at.ts";

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
export function fieldPathErrors(
  at: string,
  reference: unknown,
  supported: readonly string[],
): FieldError[] {
  if (textAt(reference, "apiVersion") === "") return [required(`${at}.apiVersion`)];
  const field = `${at}.fieldPath`;
  const given = textAt(reference, "fieldPath");
  if (given === "") return [required(field)];
  const version = textAt(reference, "apiVersion");
  if (version !== "v1") {
    const detail = `error converting fieldPath: unsupported pod version: ${version}`;
    return [invalidValue(field, given, detail)];
  }
  const path = given === "spec.host" ? "spec.nodeName" : given;
  const [, whole = "", key = ""] = /^(.*)\['(.*)'\]$/s.exec(path) ?? [];
  if (whole === "metadata.annotations") {
    return nameErrorsAt(at, key.toLowerCase(), qualifiedNameErrors);
  }
  if (whole === "metadata.labels") return nameErrorsAt(at, key, qualifiedNameErrors);
  if (!KNOWN_FIELDS.has(path)) {
    const problem =
      whole === ""
        ? `field label not supported: ${path}`
        : `field label does not support subscript: ${path}`;
    return [invalidValue(field, given, `error converting fieldPath: ${problem}`)];
  }
  return supported.includes(path) ? [] : [notSupported(field, path, supported)];
}

/**
 * Validates a `resourceFieldRef`.
 *
 * @param isFile - whether it is in a volume, where it must name the container too
 */
export function resourceFieldErrors(at: string, reference: unknown, isFile: boolean): FieldError[] {
  const resource = textAt(reference, "resource");
  const errors: FieldError[] = [];
  if (isFile && textAt(reference, "containerName") === "") {
    errors.push(required(`${at}.containerName`));
  } else if (resource === "") errors.push(required(`${at}.resource`));
  else if (!RESOURCES.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.push(notSupported(`${at}.resource`, resource, RESOURCES));
  }
  const divisor = textAt(reference, "divisor", "0");
  return divisor === "0" ? errors : [...errors, ...divisorErrors(at, resource, divisor)];
}

function divisorErrors(at: string, resource: string, divisor: string): FieldError[] {
  const kind = resource.replace(/^(limits|requests)\./, "");
  if (kind === resource) return [];
  const refuse = (detail: string): FieldError[] => [
    invalidValue(`${at}.divisor`, resource, detail),
  ];
  if (kind === "cpu") {
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return divisor === "1m" || divisor === "1" ? [] : refuse(detail);
  }
  if (AMOUNTS.test(divisor)) return [];
  if (kind === "memory") return refuse(`${AMOUNTS_TEXT} memory resource`);
  if (kind === "ephemeral-storage") {
    return refuse(`${AMOUNTS_TEXT} local ephemeral storage resource`);
  }
  return kind.startsWith("hugepages-") ? refuse(`${AMOUNTS_TEXT} hugepages resource`) : [];
}
