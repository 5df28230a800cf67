import type { CSINode, CSINodeDriver } from "../../../../generated/k8s/storage-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import {
  checkCsiDriverName,
  checkNotNegative,
  checkUnchangedForm,
  checked,
  checkedChange,
} from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

type CsiNode = Sent<CSINode>;

type Driver = Loose<CSINodeDriver>;

function checkCsiNode(node: Check<CsiNode>): void {
  const names = new Set<string>();
  node.at("spec", "drivers").each((driver) => {
    const id = driver.at("nodeID");
    checkCsiDriverName(driver.at("name"));
    id.given();
    if ((id.value ?? "").length > 256) id.invalid("must be 256 characters or less");
    checkNotNegative(driver.at("allocatable", "count"));
    driver.at("name").uniqueIn(names);
    checkTopology(driver);
  });
}

/** Validates the topology keys of a driver; what is wrong is reported of the driver. */
function checkTopology(driver: Check<Driver>): void {
  const keys = new Set<string>();
  for (const text of driver.value.topologyKeys ?? []) {
    const key = driver.as(text);
    key.given();
    key.uniqueIn(keys);
    key.named(qualifiedNameErrors);
  }
}

function checkChange(node: Check<CsiNode>, old: CsiNode): void {
  const fixed = (driver: Driver): object => ({ ...driver, allocatable: undefined });
  checkCsiNode(node);
  for (const before of old.spec?.drivers ?? []) {
    for (const driver of node.value.spec?.drivers ?? []) {
      if (driver.name !== before.name) continue;
      const drivers = node.child("spec.drivers", fixed(driver));
      checkUnchangedForm(drivers, "storage.CSINodeDriver", fixed(before));
    }
  }
}

export const csiNodeRules: KindRules = {
  conditionalUpdate: true,
  validateCreate: checked(checkCsiNode),
  validateUpdate: checkedChange(checkChange),
  table: { Drivers: "spec.drivers" },
  metadataChecks: ["whole"],
  deletion: { answersObject: true },
};
