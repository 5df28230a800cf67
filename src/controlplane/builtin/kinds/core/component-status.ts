import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import type { KindRules } from "../../kind-rules.ts";

function healthy(object: SentObject): unknown {
  return listAt(object, "conditions").find((condition) => textAt(condition, "type") === "Healthy");
}

function componentStatus(object: SentObject): string {
  const condition = healthy(object);
  if (!condition) return "Unknown";
  return textAt(condition, "status") === "True" ? "Healthy" : "Unhealthy";
}

export const componentStatusRules: KindRules = {
  table: {
    Status: componentStatus,
    Message: (object) => textAt(healthy(object), "message"),
    Error: (object) => textAt(healthy(object), "error"),
  },
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
};
