/** Rules of the kind TokenRequest. */
import type { KindRules } from "../../kind-rules.ts";

/** The rules of TokenRequests. */
export const tokenRequestRules: KindRules = {
  writtenNulls: { spec: { boundObjectRef: null } },
};
