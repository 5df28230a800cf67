import type { CSIDriver } from "../../../../generated/k8s/storage-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt, textAt } from "../../at.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { raiseGeneration } from "../../generation.ts";
import { sameJson } from "../../../../kube/json.ts";

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

type Spec = Loose<CSIDriver["spec"]>;

type TokenRequest = NonNullable<Spec["tokenRequests"]>[number];

type CsiDriver = Sent<CSIDriver> & { spec: Spec };

function checkDriver(driver: Check<CsiDriver>): void {
  const spec = driver.at("spec");
  const audiences = new Set<string>();
  spec.at("fsGroupPolicy").ifSet((policy) => {
    policy.oneOf(["File", "None", "ReadWriteOnceWithFSType"]);
  });
  spec.at("tokenRequests").each((request) => {
    const { audience = "" } = request.value;
    if (audiences.has(audience)) request.at("audience").duplicate();
    else checkLifetime(request);
    audiences.add(audience);
  });
  for (const mode of spec.value.volumeLifecycleModes ?? []) {
    spec.child("volumeLifecycleModes", mode).oneOf(["Persistent", "Ephemeral"]);
  }
  spec.at("nodeAllocatableUpdatePeriodSeconds").ifSet((period) => {
    if (period.value < 10) period.invalid("must be greater than or equal to 10 seconds");
  });
  if (spec.value.tokenRequests?.length) return;
  spec.at("serviceAccountTokenInSecrets").ifSet((flag) => {
    flag.invalid("serviceAccountTokenInSecrets is set but no tokenRequests are specified");
  });
}

function checkLifetime(request: Check<TokenRequest>): void {
  request.at("expirationSeconds").ifSet((seconds) => {
    const detail = "may not specify a duration";
    if (seconds.value < 600) seconds.invalid(`${detail} less than 10 minutes`);
    if (seconds.value > 2 ** 32) seconds.invalid(`${detail} larger than 2^32 seconds`);
  });
}

function checkChange(driver: Check<CsiDriver>, { spec: old }: CsiDriver): void {
  const spec = driver.at("spec");
  checkDriver(driver);
  spec.child("attachedRequired", spec.value.attachRequired).unchanged(old.attachRequired);
  spec.at("volumeLifecycleModes").unchanged(old.volumeLifecycleModes);
}

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

export const csiDriverRules: KindRules = {
  conditionalUpdate: true,
  // Its generation is not set on create, unlike that of other kinds.
  prepareForUpdate(driver: CsiDriver, old: CsiDriver) {
    if (!sameJson(driver.spec, old.spec)) raiseGeneration(driver, old);
  },
  warnings: csiDriverWarnings,
  setDefaults: setCsiDriverDefaults,
  validateCreate: checked(checkDriver),
  validateUpdate: checkedChange(checkChange),
  table: {
    AttachRequired: ["spec.attachRequired", true],
    PodInfoOnMount: "spec.podInfoOnMount",
    StorageCapacity: "spec.storageCapacity",
    TokenRequests: tokenAudiences,
    RequiresRepublish: "spec.requiresRepublish",
    Modes: ["spec.volumeLifecycleModes", "<none>"],
  },
  deletion: { answersObject: true },
};
