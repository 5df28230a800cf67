/** Rules of the kind StorageClass. */
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  required,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { IMMUTABLE, oneOf } from "../../shared/checks.ts";
import { asGiven } from "../../strategies/emptied.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, defaultNameColumn, printer, textColumn } from "../../tables/column.ts";
import { flagColumn, parametersErrors, provisionerErrors } from "./shared.ts";

function setStorageClassDefaults(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

interface TopologyTerm {
  matchLabelExpressions?: { key: string; values?: string[] | null }[];
}

/** The shape of a StorageClass. */
export interface StorageClass extends SentObject {
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowedTopologies?: TopologyTerm[];
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
}

function newStorageClassErrors(object: StorageClass): FieldError[] {
  const { provisioner = "", parameters, reclaimPolicy = "" } = object;
  const { volumeBindingMode: mode, allowedTopologies = [] } = object;
  const seen: unknown[] = [];
  return [
    ...provisionerErrors("provisioner", provisioner),
    ...parametersErrors(parameters, true),
    ...(reclaimPolicy === "" ? [] : oneOf("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"])),
    ...(mode === undefined
      ? [required("volumeBindingMode")]
      : oneOf("volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"])),
    ...allowedTopologies.flatMap((term, index) => {
      const at = `allowedTopologies[${index}]`;
      const errors = topologyErrors(at, term);
      const values = Object.fromEntries(
        (term.matchLabelExpressions ?? []).map(({ key, values: some }) => [key, new Set(some)]),
      );
      // Upstream also compares with as many empty terms as there are.
      const empty = Object.keys(values).length === 0 ? allowedTopologies.length : 0;
      const known = seen.filter((one) => sameJson(one, values)).length;
      seen.push(values);
      const repeated = duplicate(`${at}.matchLabelExpressions`, "");
      return [...errors, ...Array.from({ length: empty + known }, () => repeated)];
    }),
  ];
}

function topologyErrors(at: string, { matchLabelExpressions = [] }: TopologyTerm): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key, values }, index) => {
    const field = `${at}.matchLabelExpressions[${index}]`;
    const list = values ?? [];
    const errors = list.length === 0 ? [required(`${field}.values`)] : [];
    for (const [position, value] of list.entries()) {
      const where = `${field}.values[${position}]`;
      if (list.indexOf(value) < position) errors.push(duplicate(where, value));
    }
    errors.push(...nameErrorsAt(`${field}.key`, key, qualifiedNameErrors));
    if (keys.has(key)) errors.push(duplicate(`${field}.key`, key));
    keys.add(key);
    return errors;
  });
}

function storageClassUpdateErrors(now: StorageClass, old: StorageClass): FieldError[] {
  return (["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap(
    (field) =>
      sameJson(now[field] ?? null, old[field] ?? null)
        ? []
        : [invalidValue(field, asGiven(now, field), IMMUTABLE)],
  );
}

/** The rules of StorageClasses. */
export const storageClassRules: KindRules = {
  validate: newStorageClassErrors,
  validateUpdate: storageClassUpdateErrors,
  setDefaults: setStorageClassDefaults,
  table: printer([
    defaultNameColumn(
      "storageclass.kubernetes.io/is-default-class",
      "storageclass.beta.kubernetes.io/is-default-class",
    ),
    textColumn("Provisioner", "provisioner"),
    textColumn("ReclaimPolicy", "reclaimPolicy", "Delete"),
    textColumn("VolumeBindingMode", "volumeBindingMode", "Immediate"),
    flagColumn("AllowVolumeExpansion", "allowVolumeExpansion", false, {}),
    ageColumn,
  ]),
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
  columnFields: {
    Provisioner: "storage.v1.StorageClass.provisioner",
    ReclaimPolicy: "storage.v1.StorageClass.reclaimPolicy",
    VolumeBindingMode: "storage.v1.StorageClass.volumeBindingMode",
    AllowVolumeExpansion: "storage.v1.StorageClass.allowVolumeExpansion",
  },
};
