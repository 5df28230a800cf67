import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { checked } from "../../shared/checks.ts";
import { dropFromTemplate, setPodTemplateDefaults } from "../../shared/pods/defaults.ts";
import { checkTemplate } from "../../shared/workloads/pod-spec.ts";
import type { PodTemplate } from "../../shared/pods/pod-shapes.ts";
import { isUncounted, podWarnings } from "../../shared/workloads/pod-warnings.ts";
import type { KindRules } from "../../kind-rules.ts";
import { containerCells, labelsCell } from "../../tables/cells.ts";

interface PodTemplateObject extends SentObject {
  template: PodTemplate;
}

const warnings = (object: PodTemplateObject, old: SentObject | undefined): string[] =>
  isUncounted(object, old) ? [] : podWarnings(object.template, "template");

export const podTemplateRules: KindRules = {
  warnings,
  validate: checked((object: Check<PodTemplateObject>) => checkTemplate(object.at("template"))),
  generation: ["template"],
  setDefaults: ({ template }: PodTemplateObject) => setPodTemplateDefaults(template),
  dropDisabled: ({ template }: PodTemplateObject) => dropFromTemplate(template),
  table: {
    ...containerCells("template.spec.containers"),
    "Pod Labels": labelsCell("template.metadata.labels"),
  },
  deletion: { answersObject: true },
};
