/** Validation of the spec of a PersistentVolumeClaim, which claim templates contain too. */
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { checkSelector } from "../checks.ts";
import { checkAmount } from "../resource-names.ts";
import type { PersistentVolumeClaimSpec } from "../shapes.ts";
import { VOLUME_MODES, checkAccessModes, checkPositive } from "./volume-spec.ts";

/** Validates the spec of a claim, or of a claim template. */
export function checkClaimSpec(spec: Check<PersistentVolumeClaimSpec>): void {
  const { resources, dataSource, dataSourceRef } = spec.value;
  const modes = spec.at("accessModes");
  modes.given("at least 1 access mode is required");
  checkSelector(spec.at("selector"));
  checkAccessModes(modes);
  const amount = spec.child("resources[storage]", resources?.requests?.["storage"] ?? "");
  if (amount.given() && amount.passes(checkPositive)) checkAmount(amount, "storage");
  spec.at("storageClassName").nameIfGiven(dns1123SubdomainErrors);
  spec.at("volumeMode").ifSet((mode) => mode.oneOf(VOLUME_MODES));
  spec.at("dataSource").ifSet(checkSource);
  spec.at("dataSourceRef").ifSet(checkSource);
  if (dataSourceRef?.namespace) {
    if (dataSource) {
      spec.invalid("may not be specified when dataSourceRef.namespace is specified", {});
    }
  } else if (dataSource && dataSourceRef && !sameJson(dataSource, dataSourceRef)) {
    spec.invalid("must match dataSourceRef", {});
  }
  spec.at("volumeAttributesClassName").nameIfGiven(dns1123SubdomainErrors);
}

function checkSource(
  source: Check<{ apiGroup?: string | null; kind: string; name: string }>,
): void {
  const { apiGroup, kind } = source.value;
  source.at("name").given();
  source.at("kind").given();
  if (apiGroup) source.at("apiGroup").named(dns1123SubdomainErrors);
  else if (kind !== "PersistentVolumeClaim") {
    source.invalid("must be 'PersistentVolumeClaim' when referencing the default apiGroup", kind);
  }
}
