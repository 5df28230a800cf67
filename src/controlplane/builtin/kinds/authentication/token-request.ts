import type { KindRules } from "../../kind-rules.ts";

export const tokenRequestRules: KindRules = {
  writtenNulls: { spec: { boundObjectRef: null } },
};
