/** Rules of the kind Job. */
import { checked, checkedChange } from "../../../shared/checks.ts";
import { TEMPLATE_CONTAINERS } from "../../../shared/workloads/columns.ts";
import { dropFromWorkload } from "../../../shared/workloads/templates.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  containerColumns,
  nameColumn,
  printer,
  selectorColumn,
} from "../../../tables/column.ts";
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
  table: printer([
    nameColumn,
    column("Status", jobStatus),
    column("Completions", completions),
    column("Duration", jobDuration),
    ageColumn,
    ...containerColumns(TEMPLATE_CONTAINERS),
    selectorColumn("spec.selector"),
  ]),
  metadataChecks: ["whole", "change"],
  deletion: {
    dependents: "orphan",
    warning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  refuseFieldLabel: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  selectableFields: { "status.successful": field("status.succeeded", "0") },
  lacksDefault: ({ metadata }) => Object.keys(metadata.labels ?? {}).length === 0,
  columnFields: {
    Completions: "batch.v1.JobStatus.succeeded",
    Selector: "batch.v1.JobSpec.selector",
  },
  columnTexts: {
    Status: "Status of the job.",
    Duration: "Time required to complete the job.",
  },
};
