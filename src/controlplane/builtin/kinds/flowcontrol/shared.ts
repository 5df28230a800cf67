/** Validation that FlowSchemas and PriorityLevelConfigurations share. */
import { type FieldError, duplicate, required } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";

/** Validates a status of either kind. */
export function flowStatusErrors(object: SentObject): FieldError[] {
  const types = new Set<string>();
  return listAt(object, "status.conditions").flatMap((condition, index) => {
    const field = `status.conditions[${index}].type`;
    const type = textAt(condition, "type");
    const errors = types.has(type) ? [duplicate(field, type)] : [];
    types.add(type);
    return type === "" ? [...errors, required(field)] : errors;
  });
}
