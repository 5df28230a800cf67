import type * as node from "../../../../generated/k8s/node-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123LabelErrors } from "../../../../kube/names.ts";
import { checkLabels, checked, checkedChange } from "../../shared/checks.ts";
import { checkResources } from "../../shared/pods/container-resources.ts";
import { checkToleration } from "../../shared/pods/scheduling.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

export type RuntimeClass = ShapedObject<node.RuntimeClass>;

function checkRuntimeClass(object: Check<RuntimeClass>): void {
  const tolerations = object.at("scheduling", "tolerations");
  object.at("handler").givenName(dns1123LabelErrors);
  object.at("overhead").ifSet((overhead) => {
    checkResources(overhead.as({ limits: overhead.value.podFixed ?? {} }));
  });
  checkLabels(object.at("scheduling", "nodeSelector"));
  tolerations.each(checkToleration);
  const seen = new Set<string>();
  tolerations.each((toleration) => {
    const { key = "", operator = "", value = "", effect = "" } = toleration.value;
    const shown = { Key: key, Operator: operator, Value: value, Effect: effect };
    const { tolerationSeconds = null } = toleration.value;
    toleration.uniqueIn(seen, shown, { ...shown, TolerationSeconds: tolerationSeconds });
  });
}

export const runtimeClassRules: KindRules = {
  validate: checked(checkRuntimeClass),
  validateUpdate: checkedChange<RuntimeClass>((object, old) => {
    object.at("handler").unchanged(old.handler);
  }),
  conditionalUpdate: true,
  table: { Handler: "handler" },
  metadataChecks: ["whole", "change"],
  freeFinalizers: true,
};
