/**
 * Rules of the kind TokenRequest.
 *
 * @module
 */
import type { KindRules } from "../../strategies/kind-rules.ts";

/** The rules of TokenRequests. */
export const tokenRequestRules: KindRules = {
  writtenNulls: { spec: { boundObjectRef: null } },
};
