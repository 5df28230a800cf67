import type { KindRules } from "../../kind-rules.ts";

export const scaleRules: KindRules = {
  table: { Desired: "spec.replicas", Available: "status.replicas" },
};
