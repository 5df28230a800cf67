/** The table of the kind Scale. */
import type { KindRules } from "../../kind-rules.ts";

/** The rules of Scales. */
export const scaleRules: KindRules = {
  table: { Desired: "spec.replicas", Available: "status.replicas" },
};
