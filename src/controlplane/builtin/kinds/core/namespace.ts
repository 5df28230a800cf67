import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { AdmissionPlugins } from "../../../admission-plugins.ts";
import { forbiddenTo } from "../../../failures.ts";
import { fields } from "../../selectable-fields.ts";
import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

const NAME_LABEL = "kubernetes.io/metadata.name";

/** Labels the namespace with its name. */
function setNamespaceDefaults(namespace: Namespace): void {
  const { metadata } = namespace;
  if (metadata.name) (metadata.labels ??= {})[NAME_LABEL] = metadata.name;
  (namespace.status ??= {}).phase ??= "Active";
}

function prepareNamespaceForCreate(namespace: Namespace): void {
  // A generated name was not known when defaults were set.
  setNamespaceDefaults(namespace);
  const finalizers = ((namespace.spec ??= {}).finalizers ??= []);
  if (!finalizers.includes("kubernetes")) finalizers.push("kubernetes");
}

export type Namespace = ShapedObject<core.Namespace>;

const FINALIZER = "name is neither a standard finalizer name nor is it fully qualified";

/** Validates a namespace; what is wrong with a finalizer is reported of the list. */
function checkNamespace(namespace: Check<Namespace>): void {
  const finalizers = namespace.at("spec", "finalizers");
  for (const name of finalizers.value ?? []) checkFinalizer(finalizers.as(name));
}

function checkFinalizer(finalizer: Check<string>): void {
  const name = finalizer.value;
  const isKnown = ["kubernetes", "orphan", "foregroundDeletion"].includes(name);
  finalizer.named(qualifiedNameErrors);
  if (!isKnown && !name.includes("/")) finalizer.invalid(FINALIZER);
}

function checkStatus(namespace: Check<Namespace>): void {
  const { metadata, status } = namespace.value;
  const phase = namespace.child("status.Phase", status?.phase ?? "");
  const going = metadata.deletionTimestamp !== undefined;
  const expected = going ? "Terminating" : "Active";
  if (phase.value === expected) return;
  const state = going ? "is not empty" : "is empty";
  phase.invalid(`may only be '${expected}' if \`deletionTimestamp\` ${state}`);
}

const UNDELETABLE: ReadonlySet<string | undefined> = new Set([
  "default",
  "kube-system",
  "kube-public",
]);

function keepSystemNamespace(
  { metadata: { name = "" } }: Namespace,
  plugins: AdmissionPlugins,
): void {
  if (UNDELETABLE.has(name) && plugins.isOn("NamespaceLifecycle")) {
    throw forbiddenTo(
      { group: "", plural: "namespaces" },
      name,
      "this namespace may not be deleted",
    );
  }
}

export const namespaceRules: KindRules = {
  validate: checked(checkNamespace),
  validateStatus: checkedChange(checkStatus),
  name: "label",
  status: "all",
  setDefaults: setNamespaceDefaults,
  prepareForCreate: prepareNamespaceForCreate,
  prepareForUpdate(namespace: Namespace, old: Namespace) {
    // Only the finalize subresource changes the finalizers.
    namespace.spec = structuredClone(old.spec ?? {});
  },
  table: { Status: "status.phase" },
  metadataChecks: ["whole", "change"],
  deletion: {
    answersObject: true,
    pinsUid: "Precondition failed",
    check: keepSystemNamespace,
    begin(namespace: Namespace) {
      namespace.status = { ...namespace.status, phase: "Terminating" };
    },
    holds: ({ spec }: Namespace) => (spec?.finalizers ?? []).length > 0,
  },
  selectsNoNamespace: true,
  selectableFields: fields("status.phase"),
  resetFields: { finalize: ["status"] },
  subresources: {
    finalize: {
      take(namespace: Namespace, given: Namespace) {
        namespace.spec = given.spec ?? {};
      },
      validate: checkedChange<Namespace>((namespace) => {
        namespace.at("spec", "finalizers").each(checkFinalizer);
      }),
    },
  },
};
