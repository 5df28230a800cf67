/** Rules of the kind Job. */
import { checked, checkedChange } from "../../../shared/checks.ts";
import { dropFromWorkload } from "../../../shared/workloads/templates.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { selectorCell } from "../../../tables/cells.ts";
import { prepareJobForCreate, setJobDefaults } from "./preparation.ts";
import { checkJobStatus } from "./status.ts";
import { completions, jobDuration, jobStatus } from "./table.ts";
import { checkJob, checkJobUpdate } from "./validation.ts";
import { jobWarnings } from "./warnings.ts";
import { field } from "../../../selectable-fields.ts";

/** The rules of Jobs. */
export const jobRules: KindRules = {
  warnings: jobWarnings,
  validate: checked(checkJob),
  validateUpdate: checkedChange(checkJobUpdate),
  validateStatus: checkedChange(checkJobStatus),
  status: "all",
  generation: ["spec"],
  setDefaults: setJobDefaults,
  dropDisabled: dropFromWorkload,
  prepareForCreate: prepareJobForCreate,
  table: {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    Selector: selectorCell("spec.selector"),
  },
  metadataChecks: ["whole", "change"],
  deletion: {
    dependents: "orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  refuseFieldLabel: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  selectableFields: { "status.successful": field("status.succeeded", "0") },
  lacksDefault: ({ metadata }) => Object.keys(metadata.labels ?? {}).length === 0,
};
