/** Rules of the kind CSINode. */
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  required,
} from "../../../../kube/field-errors.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { csiDriverNameErrors, immutableForm, notNegative } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, countColumn, nameColumn, printer } from "../../tables/column.ts";

interface CsiNode extends SentObject {
  spec: {
    drivers:
      | {
          name: string;
          nodeID: string;
          topologyKeys?: string[] | null;
          allocatable?: { count?: number };
        }[]
      | null;
  };
}

function csiNodeErrors(object: CsiNode): FieldError[] {
  const names = new Set<string>();
  return (object.spec.drivers ?? []).flatMap((driver, index) => {
    const { name, nodeID, topologyKeys, allocatable } = driver;
    const at = `spec.drivers[${index}]`;
    const errors = csiDriverNameErrors(`${at}.name`, name);
    if (nodeID === "") errors.push(required(`${at}.nodeID`));
    if (nodeID.length > 256) {
      errors.push(invalidValue(`${at}.nodeID`, nodeID, "must be 256 characters or less"));
    }
    errors.push(...notNegative(`${at}.allocatable.count`, allocatable?.count));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    for (const [position, key] of (topologyKeys ?? []).entries()) {
      if (key === "") errors.push(required(at));
      if ((topologyKeys ?? []).indexOf(key) < position) errors.push(duplicate(at, key));
      errors.push(...nameErrorsAt(at, key, qualifiedNameErrors));
    }
    return errors;
  });
}

function csiNodeUpdateErrors(object: CsiNode, previous: CsiNode): FieldError[] {
  const type = "storage.CSINodeDriver";
  const fixed = (driver: object): object => ({ ...driver, allocatable: undefined });
  const now = object.spec.drivers ?? [];
  return [
    ...csiNodeErrors(object),
    ...(previous.spec.drivers ?? []).flatMap((old) =>
      now
        .filter(({ name }) => name === old.name)
        .flatMap((driver) => immutableForm("spec.drivers", type, fixed(driver), fixed(old))),
    ),
  ];
}

/** The rules of CSINodes. */
export const csiNodeRules: KindRules = {
  conditionalUpdate: true,
  validateCreate: csiNodeErrors,
  validateUpdate: csiNodeUpdateErrors,
  table: printer([nameColumn, countColumn("Drivers", "spec.drivers"), ageColumn]),
  metadataChecks: ["whole"],
  deletion: { answersObject: true },
  columnTexts: {
    Drivers: "Drivers indicates the number of CSI drivers registered on the node",
  },
};
