import type { Check } from "../../../../kube/check.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { checkUnchangedForm, checked, checkedChange } from "../../shared/checks.ts";
import { type ShownCondition, checkConditions } from "../../shared/conditions.ts";
import { asGiven } from "../../go/emptied.ts";
import { internalForm } from "../../go/internal.ts";
import type { KindRules } from "../../kind-rules.ts";

interface StorageVersionMigration extends SentObject {
  spec?: { resource?: { group?: string; resource?: string } };
  status?: { conditions?: ShownCondition[]; resourceVersion?: string };
}

function checkMigration(migration: Check<StorageVersionMigration>): void {
  const resource = migration.at("spec", "resource");
  const { resource: plural = "", group = "" } = resource.value ?? {};
  if (resource.at("resource").given("resource is required to be set")) {
    const wrong = dns1035LabelErrors(plural);
    if (wrong.length > 0) resource.at("resource").invalid(wrong.join(","));
  }
  const wrong = group === "" ? [] : dns1123SubdomainErrors(group);
  if (wrong.length > 0) resource.at("group").invalid(wrong.join(","));
}

function checkStatus(migration: Check<StorageVersionMigration>, old: StorageVersionMigration) {
  const version = migration.at("status", "resourceVersion");
  const conditions = migration.at("status", "conditions");
  const { value: now = "" } = version;
  if (now !== "" && !/^[1-9][0-9]*$/.test(now)) {
    version.invalid(`resource version is not well formed: ${now}`);
  }
  checkConditions(conditions);
  const before = old.status?.resourceVersion ?? "";
  if (before !== "" && before !== now) version.as(now).invalid("field is immutable");
  const refuse = (detail: string): void => {
    conditions.invalid(
      detail,
      internalForm("[]metav1.Condition", asGiven(migration.value.status, "conditions")),
    );
  };
  if (isTrue(migration.value, "Succeeded") && isTrue(migration.value, "Failed")) {
    refuse("Both success and failed conditions cannot be true at the same time");
  }
  for (const [type, told] of [
    ["Succeeded", "Success"],
    ["Failed", "Failed"],
  ] as const) {
    if (isTrue(old, type) && !isTrue(migration.value, type)) {
      refuse(`${told} condition cannot be set to false once it is true`);
    }
  }
}

const isTrue = ({ status }: StorageVersionMigration, wanted: string): boolean =>
  status?.conditions?.find(({ type }) => type === wanted)?.status === "True";

const STATES = ["Running", "Failed", "Succeeded"];

function stateOf(migration: SentObject): string {
  const state = listAt(migration, "status.conditions")
    .filter((condition) => textAt(condition, "status") === "True")
    .map((condition) => textAt(condition, "type"))
    .findLast((type) => STATES.includes(type));
  return state ?? "Unknown";
}

function resourceOf(migration: SentObject): string {
  const group = textAt(migration, "spec.resource.group");
  const resource = textAt(migration, "spec.resource.resource");
  return group === "" ? resource : `${resource}.${group}`;
}

export const storageVersionMigrationRules: KindRules = {
  status: "none",
  conditionalUpdate: true,
  validate: checked(checkMigration),
  validateUpdate: checkedChange<StorageVersionMigration>((migration, old) => {
    const type = "storagemigration.StorageVersionMigrationSpec";
    checkUnchangedForm(migration.at("spec"), type, old.spec);
  }),
  validateStatus: checkedChange(checkStatus),
  metadataChecks: ["whole", "change"],
  resetFields: { "": ["status"], status: ["metadata", "spec"] },
  table: { Resource: resourceOf, Status: stateOf },
};
