/**
 * The approval that groups of the Kubernetes community need.
 *
 * @see https://github.com/kubernetes/enhancements/pull/1111
 */
import { type FieldError, invalidValue, required } from "../field-errors.ts";
import { isRequestUri } from "../schema/uri.ts";
import type { Definition } from "./definition.ts";

const ANNOTATION = "api-approved.kubernetes.io";
const PATH = `metadata.annotations[${ANNOTATION}]`;
const NEEDED = `protected groups must have approval annotation "${ANNOTATION}"`;
const SEE = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Whether the approval is `missing`, `invalid`, given as a URL, or waived by `unapproved...`. */
export interface Approval {
  readonly state: "missing" | "invalid" | "approved" | "bypassed";
  /** The reason in words, for the condition. */
  readonly reason: string;
}

/** Whether a group belongs to the Kubernetes community. */
export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some(
    (domain) => group === domain || group.endsWith(`.${domain}`),
  );
}

/** The approval in the annotation of a definition. */
export function approvalOf(definition: Definition): Approval {
  const annotation = definition.metadata.annotations?.[ANNOTATION] ?? "";
  if (annotation === "") return { state: "missing", reason: `${NEEDED}, ${SEE}` };
  if (annotation.startsWith("unapproved")) {
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(annotation)}` };
  }
  if (isRequestUri(annotation) && /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]/.test(annotation)) {
    return { state: "approved", reason: `approved in ${annotation}` };
  }
  const reason = `${NEEDED} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { state: "invalid", reason };
}

/** Errors of the approval of a definition; none when they are not new. */
export function approvalErrors(definition: Definition, old?: Definition): FieldError[] {
  if (!isProtectedGroup(definition.spec.group ?? "")) return [];
  const { state, reason } = approvalOf(definition);
  if (old && approvalOf(old).state === state) return [];
  if (state === "missing") return [required(PATH, reason)];
  if (state !== "invalid") return [];
  return [invalidValue(PATH, definition.metadata.annotations?.[ANNOTATION], reason)];
}
