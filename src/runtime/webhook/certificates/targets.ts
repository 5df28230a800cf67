/** The kinds of objects that a self-managed certificate reads and writes. */
import {
  CA_BUNDLE_VERBS,
  CERTIFICATE_SECRET,
  CERTIFICATE_SECRET_VERBS,
} from "../../../kube/webhooks/certificate-rights.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { groupResourceOf, type ResourceType } from "../../../kube/resource.ts";
import type { ConversionMark, WebhookMark } from "../../../kube/webhooks/webhook-marks.ts";
import type { PlannedAccess } from "../../client/access.ts";
import type { BundleTarget } from "./ca-bundle.ts";

/** A Secret, with the fields of certificates and keys. */
export interface CertificateSecret extends KubeObject {
  type?: string;
  immutable?: boolean;
  data?: Record<string, string>;
}

/** The kind of Secrets. */
export const SECRET: ResourceType<CertificateSecret> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};

const admissionKind = (kind: string): BundleTarget["resource"] => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});

/** The kind MutatingWebhookConfiguration. */
const MUTATING_CONFIGURATION = admissionKind("MutatingWebhookConfiguration");

/** The kind ValidatingWebhookConfiguration. */
const VALIDATING_CONFIGURATION = admissionKind("ValidatingWebhookConfiguration");

/** The kind CustomResourceDefinition. */
const CRD: BundleTarget["resource"] = {
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};

/** The markers of an operator's handlers. */
export interface HandlerMarks {
  readonly webhooks: readonly WebhookMark[];
  readonly conversions: readonly Pick<ConversionMark, "hub" | "spoke">[];
}

/**
 * The configurations and CRDs of marked handlers, each once; without those whose webhooks have a
 * whole URL.
 */
export function targetsOf({ webhooks, conversions }: HandlerMarks, prefix: string): BundleTarget[] {
  const targets = [
    ...webhooks
      .filter(({ path }) => path !== undefined)
      .map(({ mutating, configuration }) => ({
        resource: mutating ? MUTATING_CONFIGURATION : VALIDATING_CONFIGURATION,
        name: `${prefix}${configuration}`,
      })),
    ...conversions.map(({ hub }) => ({ resource: CRD, name: groupResourceOf(hub) })),
  ];
  return [...new Map(targets.map((one) => [`${one.resource.kind}/${one.name}`, one])).values()];
}

const ADVICE =
  "Run `tsop manifests` and apply the roles, which include those for a self-managed certificate";

/**
 * The access to the Secret and its targets, for the check of the operator's rights at the start.
 */
export function certificateAccess(
  marks: HandlerMarks,
  { namePrefix, namespace }: { readonly namePrefix: string; readonly namespace: string },
): PlannedAccess[] {
  const secret = { resource: SECRET, namespace };
  const accesses = [
    { ...secret, verbs: ["create"] },
    { ...secret, name: `${namePrefix}${CERTIFICATE_SECRET}`, verbs: CERTIFICATE_SECRET_VERBS },
    ...targetsOf(marks, namePrefix).map((target) => ({ ...target, verbs: CA_BUNDLE_VERBS })),
  ];
  return accesses.map((access) => ({ ...access, advice: ADVICE }));
}
