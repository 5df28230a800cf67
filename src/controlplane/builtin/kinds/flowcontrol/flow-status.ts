import type { Check } from "../../../../kube/check.ts";
import type { SentObject } from "../../../../kube/object.ts";

interface WithConditions extends SentObject {
  status?: { conditions?: { type?: string }[] };
}

/** Validates a status of either kind. */
export function checkFlowStatus(object: Check<WithConditions>): void {
  const types = new Set<string>();
  object.at("status", "conditions").each((condition) => {
    const type = condition.child("type", condition.value.type ?? "");
    type.uniqueIn(types);
    type.given();
  });
}
