/** Rules of the kind ControllerRevision. */
import { type FieldError, required } from "../../../../kube/field-errors.ts";
import { isJsonObject } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { numberAt } from "../../at.ts";
import { immutable, notNegative } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";

interface ControllerRevision extends SentObject {
  data?: unknown;
  revision?: number;
}

function newControllerRevisionErrors(object: ControllerRevision): FieldError[] {
  const { data, revision } = object;
  const errors = notNegative("revision", revision);
  if (data === undefined || data === null)
    return [...errors, required("data", "data is mandatory")];
  return isJsonObject(data)
    ? errors
    : [...errors, required("data", "data must be a valid JSON object")];
}

const controllerRevisionUpdateErrors = (
  object: ControllerRevision,
  previous: ControllerRevision,
): FieldError[] => [
  ...notNegative("revision", object.revision),
  ...immutable("data", object.data, previous.data),
];

function controllerText(object: SentObject): string {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.replace(/\/.*/, "")}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

/** The rules of ControllerRevisions. */
export const controllerRevisionRules: KindRules = {
  validateCreate: newControllerRevisionErrors,
  validateUpdate: controllerRevisionUpdateErrors,
  table: printer([
    nameColumn,
    column("Controller", controllerText),
    column("Revision", (object) => numberAt(object, "revision")),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  writtenNulls: { data: null },
  columnFields: {
    Revision: "apps.v1.ControllerRevision.revision",
  },
  columnTexts: {
    Controller: "Controller of the object",
  },
};
