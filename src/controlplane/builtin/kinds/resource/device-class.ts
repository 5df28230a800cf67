import type { DeviceClass } from "../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { qualifiedNameErrors } from "../../../../kube/names.ts";
import { checked } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { MAX_CONFIGS } from "./claim-spec.ts";
import { checkConfiguration, checkSelectors } from "./device-checks.ts";

function checkDeviceClass(object: Check<Sent<DeviceClass>>): void {
  const spec = object.at("spec");
  checkSelectors(spec.at("selectors"));
  spec.at("config").eachOf(MAX_CONFIGS, checkConfiguration);
  spec.at("extendedResourceName").ifSet((name) => {
    const isExtended =
      name.value.includes("/") &&
      !name.value.includes("kubernetes.io/") &&
      !name.value.startsWith("requests.") &&
      qualifiedNameErrors(`requests.${name.value}`).length === 0;
    if (!isExtended) name.invalid("must be a valid extended resource name");
  });
}

export const deviceClassRules: KindRules = {
  name: "generated",
  changeFirst: true,
  generation: ["spec"],
  validate: checked(checkDeviceClass),
  table: {},
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
};
