/** Rules of the kind RuntimeClass. */
import {
  type FieldError,
  duplicate,
  nameErrorsAt,
  required,
} from "../../../../kube/field-errors.ts";
import { validateLabels } from "../../../../kube/metadata.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { immutable } from "../../shared/checks.ts";
import { containerResourcesErrors } from "../../shared/pods/container-resources.ts";
import { tolerationsErrors } from "../../shared/pods/scheduling.ts";
import type { Toleration } from "../../shared/pods/shapes.ts";
import type { ResourceList } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer, textColumn } from "../../tables/column.ts";

/** The shape of a RuntimeClass. */
export interface RuntimeClass extends SentObject {
  handler?: string;
  overhead?: { podFixed?: ResourceList };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

function newRuntimeClassErrors(object: RuntimeClass): FieldError[] {
  const { handler = "", overhead, scheduling } = object;
  const { nodeSelector, tolerations = [] } = scheduling ?? {};
  const seen = new Set<string>();
  return [
    ...(handler === ""
      ? [required("handler")]
      : nameErrorsAt("handler", handler, dns1123LabelErrors)),
    ...(overhead ? containerResourcesErrors("overhead", { limits: overhead.podFixed ?? {} }) : []),
    ...validateLabels(nodeSelector, "scheduling.nodeSelector"),
    ...tolerationsErrors("scheduling.tolerations", tolerations),
    ...tolerations.flatMap(({ key, operator, value, effect, ...rest }, index) => {
      const id = JSON.stringify([key, operator, value, effect]);
      const repeated = seen.has(id);
      seen.add(id);
      const shown = {
        Key: key ?? "",
        Operator: operator ?? "",
        Value: value ?? "",
        Effect: effect ?? "",
        TolerationSeconds: rest.tolerationSeconds ?? null,
      };
      return repeated ? [duplicate(`scheduling.tolerations[${index}]`, shown)] : [];
    }),
  ];
}

const runtimeClassUpdateErrors = (object: RuntimeClass, previous: RuntimeClass): FieldError[] =>
  immutable("handler", object.handler, previous.handler);

/** The rules of RuntimeClasses. */
export const runtimeClassRules: KindRules = {
  validate: newRuntimeClassErrors,
  validateUpdate: runtimeClassUpdateErrors,
  conditionalUpdate: true,
  table: printer([nameColumn, textColumn("Handler", "handler"), ageColumn]),
  metadataChecks: ["whole", "change"],
  freeFinalizers: true,
};
