/**
 * Rules of the kind RoleBinding.
 *
 * @module
 */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { roleBinding } from "./binding-columns.ts";
import { setBindingDefaults } from "./binding-defaults.ts";
import { bindingErrors, bindingUpdateErrors } from "./shared.ts";

const roleBindingErrors = (object: SentObject): FieldError[] =>
  bindingErrors(object, ["Role", "ClusterRole"], true);

/** The rules of RoleBindings. */
export const roleBindingRules: KindRules = {
  validate: roleBindingErrors,
  validateUpdate: bindingUpdateErrors,
  name: "segment",
  createOnUpdate: true,
  setDefaults: setBindingDefaults,
  table: roleBinding,
  metadataChecks: ["whole", "change"],
};
