/** The quality of service class of a pod. */
import { compareQuantities, parseQuantity } from "../../../../../kube/values/quantity.ts";
import type { PodSpec } from "../../../shared/pods/shapes.ts";
import type { ResourceList } from "../../../shared/shapes.ts";

/** The QoS class of a pod: `Guaranteed`, `Burstable` or `BestEffort`. */
export function qosClassOf(spec: PodSpec): string {
  const podLevel = spec.resources;
  const parts =
    podLevel && (podLevel.requests ?? podLevel.limits)
      ? [podLevel]
      : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
          ({ resources }) => resources ?? {},
        );
  const asks = (amounts: ResourceList | undefined): [string, string][] =>
    Object.entries(amounts ?? {}).filter(
      ([name, amount]) => (name === "cpu" || name === "memory") && parseQuantity(amount).nanos > 0n,
    );
  if (parts.every(({ requests, limits }) => asks(requests).length + asks(limits).length === 0)) {
    return "BestEffort";
  }
  const guaranteed = parts.every(({ requests, limits }) => {
    const limited = asks(limits);
    return (
      limited.length === 2 &&
      asks(requests).every(([name, amount]) => {
        const limit = limits?.[name];
        return (
          limit !== undefined &&
          compareQuantities(parseQuantity(limit), parseQuantity(amount)) === 0
        );
      })
    );
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}
