/** The table of the kind Scale. */
import { integerColumn } from "../../shared/workloads/columns.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer } from "../../tables/column.ts";

/** The rules of Scales. */
export const scaleRules: KindRules = {
  table: printer([
    nameColumn,
    integerColumn("Desired", "spec.replicas"),
    integerColumn("Available", "status.replicas"),
    ageColumn,
  ]),
};
