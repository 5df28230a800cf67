/**
 * The strategy of HorizontalPodAutoscalers, which handles v1 as v2: the parts of the status and the
 * metrics that v1 keeps in annotations are fields in v2, which are reset, kept and validated.
 */
import { asJson, asObject } from "../../../../../kube/json.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import type { Strategy } from "../../../../kinds.ts";
import { convertAutoscaler } from "../../../autoscaler-versions.ts";

const V1 = "autoscaling/v1";
const V2 = "autoscaling/v2";

/** Makes a strategy for both versions from one for v2. */
export function autoscalerStrategy(strategy: Strategy): Strategy {
  return {
    ...strategy,
    prepareForCreate(object, context) {
      changeInV2(object, (one) => {
        strategy.prepareForCreate(one, context);
      });
    },
    prepareForUpdate(object, old, context) {
      changeInV2(object, (one) => {
        strategy.prepareForUpdate(one, inV2(old), context);
      });
    },
    validateCreate: (object, context) => strategy.validateCreate(inV2(object), context),
    validateUpdate: (object, old, context, between) =>
      strategy.validateUpdate(inV2(object), inV2(old), context, between),
  };
}

function inV2(object: SentObject): SentObject {
  if (object.apiVersion !== V1) return object;
  return asObject(convertAutoscaler(asJson(object), V2));
}

function changeInV2(object: SentObject, change: (object: SentObject) => void): void {
  const converted = inV2(object);
  change(converted);
  if (converted !== object) {
    Object.assign(object, convertAutoscaler(asJson(converted), V1));
  }
}
