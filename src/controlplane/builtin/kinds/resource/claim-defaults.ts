import type { SentObject } from "../../../../kube/object.ts";
import type { ClaimSpec } from "./claim-spec.ts";

interface ResourceClaim extends SentObject {
  spec?: ClaimSpec & { spec?: ClaimSpec };
}

/** Defaults of a claim, and of the claim in a template. */
export function setResourceClaimDefaults(object: ResourceClaim): void {
  const { spec } = object;
  for (const { exactly, firstAvailable = [] } of (spec?.spec ?? spec)?.devices?.requests ?? []) {
    for (const request of exactly ? [exactly, ...firstAvailable] : firstAvailable) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}
