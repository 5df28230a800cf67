/** Rules of the kind PodTemplate. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { dropFromTemplate, setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { templateErrors } from "../../shared/pods/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import { isUncounted, specWarnings } from "../../shared/pods/warnings.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { column, containerColumns, nameColumn, printer } from "../../tables/column.ts";
import { labelCell } from "./shared.ts";

interface TemplateObject extends SentObject {
  template?: PodTemplate;
}

/** Warnings about a PodTemplate. */
function podTemplateWarnings(
  object: SentObject & { template: PodTemplate },
  old: SentObject | undefined,
): string[] {
  const { template } = object;
  if (isUncounted(object, old)) return [];
  const { metadata = {}, spec } = template;
  return specWarnings("template.spec", "template.metadata", metadata, spec);
}

/** Validates a PodTemplate. */
const podTemplateErrors = (object: PodTemplateObject): FieldError[] =>
  templateErrors("template", object.template);

interface PodTemplateObject extends SentObject {
  template: PodTemplate;
}

/** The rules of PodTemplates. */
export const podTemplateRules: KindRules = {
  warnings: podTemplateWarnings,
  validate: podTemplateErrors,
  generation: ["template"],
  setDefaults: (object: TemplateObject) => setPodTemplateDefaults(object.template),
  dropDisabled: (object: TemplateObject) => dropFromTemplate(object.template),
  table: printer([
    nameColumn,
    ...containerColumns("template.spec.containers", {}),
    column("Pod Labels", labelCell("template.metadata.labels")),
  ]),
  deletion: { answersObject: true },
  columnTexts: {
    "Pod Labels": "The labels for the pod template.",
  },
};
