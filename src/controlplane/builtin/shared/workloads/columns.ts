/** Columns that the tables of workloads share. */
import { numberAt } from "../../at.ts";
import { INTEGER, column } from "../../tables/column.ts";

export const integerColumn = (name: string, path: string): ReturnType<typeof column> =>
  column(name, (object) => numberAt(object, path), INTEGER);

export const TEMPLATE_CONTAINERS = "spec.template.spec.containers";
