/** Rules of the kind CSIDriver. */
import { type FieldError, duplicate, invalidValue } from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt, textAt } from "../../at.ts";
import { immutable, oneOf } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";
import { flagColumn } from "./shared.ts";

function setCsiDriverDefaults(object: CsiDriver): void {
  const { spec } = object;
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  spec.volumeLifecycleModes ??= ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
  spec.preventPodSchedulingIfMissing ??= false;
}

interface CsiDriver extends SentObject {
  spec: {
    attachRequired?: boolean;
    podInfoOnMount?: boolean;
    storageCapacity?: boolean;
    requiresRepublish?: boolean;
    seLinuxMount?: boolean;
    preventPodSchedulingIfMissing?: boolean;
    fsGroupPolicy?: string;
    tokenRequests?: { audience: string; expirationSeconds?: number }[] | null;
    volumeLifecycleModes?: string[] | null;
    nodeAllocatableUpdatePeriodSeconds?: number;
    serviceAccountTokenInSecrets?: boolean;
  };
}

function csiDriverErrors(object: CsiDriver): FieldError[] {
  const { spec } = object;
  const { fsGroupPolicy: policy, nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const requests = spec.tokenRequests ?? [];
  const errors: FieldError[] = [];
  if (policy !== undefined) {
    const known = ["File", "None", "ReadWriteOnceWithFSType"];
    errors.push(...oneOf("spec.fsGroupPolicy", policy, known));
  }
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds: seconds }] of requests.entries()) {
    const at = `spec.tokenRequests[${index}]`;
    if (audiences.has(audience)) {
      errors.push(duplicate(`${at}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    const field = `${at}.expirationSeconds`;
    if (seconds !== undefined && seconds < 600) {
      const detail = "may not specify a duration less than 10 minutes";
      errors.push(invalidValue(field, seconds, detail));
    }
    if (seconds !== undefined && seconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      errors.push(invalidValue(field, seconds, detail));
    }
  }
  for (const mode of spec.volumeLifecycleModes ?? []) {
    errors.push(...oneOf("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]));
  }
  if (period !== undefined && period < 10) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    errors.push(invalidValue(field, period, "must be greater than or equal to 10 seconds"));
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && requests.length === 0) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(invalidValue("spec.serviceAccountTokenInSecrets", inSecrets, detail));
  }
  return errors;
}

function csiDriverUpdateErrors(object: CsiDriver, previous: CsiDriver): FieldError[] {
  const { spec } = object;
  const { spec: old } = previous;
  return [
    ...csiDriverErrors(object),
    ...immutable("spec.attachedRequired", spec.attachRequired, old.attachRequired),
    ...immutable("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes),
  ];
}

/** Warnings about a CSIDriver. */
function csiDriverWarnings(object: CsiDriver, old: SentObject | undefined): string[] {
  if (old) return [];
  const { spec } = object;
  return (spec.tokenRequests ?? []).length > 0 && spec.serviceAccountTokenInSecrets === undefined
    ? [
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
      ]
    : [];
}

function tokenAudiences(driver: SentObject): string {
  if (!at(driver, "spec.tokenRequests")) return "<unset>";
  return listAt(driver, "spec.tokenRequests")
    .map((request) => textAt(request, "audience"))
    .join(",");
}

/** The rules of CSIDrivers. */
export const csiDriverRules: KindRules = {
  conditionalUpdate: true,
  generation: ["spec"],
  startsWithoutGeneration: true,
  warnings: csiDriverWarnings,
  setDefaults: setCsiDriverDefaults,
  validateCreate: csiDriverErrors,
  validateUpdate: csiDriverUpdateErrors,
  table: printer([
    nameColumn,
    flagColumn("AttachRequired", "spec.attachRequired", true),
    flagColumn("PodInfoOnMount", "spec.podInfoOnMount"),
    flagColumn("StorageCapacity", "spec.storageCapacity"),
    column("TokenRequests", tokenAudiences),
    flagColumn("RequiresRepublish", "spec.requiresRepublish"),
    column("Modes", (object) => listAt(object, "spec.volumeLifecycleModes").join(",") || "<none>"),
    ageColumn,
  ]),
  deletion: { answersObject: true },
  columnFields: {
    AttachRequired: "storage.v1.CSIDriverSpec.attachRequired",
    PodInfoOnMount: "storage.v1.CSIDriverSpec.podInfoOnMount",
    StorageCapacity: "storage.v1.CSIDriverSpec.storageCapacity",
    TokenRequests: "storage.v1.CSIDriverSpec.tokenRequests",
    RequiresRepublish: "storage.v1.CSIDriverSpec.requiresRepublish",
    Modes: "storage.v1.CSIDriverSpec.volumeLifecycleModes",
  },
};
