/** Rules of the kind Role. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { rulesErrors } from "./shared.ts";

const roleErrors = (object: SentObject): FieldError[] => rulesErrors(object, true);

/** The rules of Roles. */
export const roleRules: KindRules = {
  validate: roleErrors,
  name: "segment",
  createOnUpdate: true,
  metadataChecks: ["whole", "change"],
};
