/**
 * The total resources of a pod's containers, and its quality of service, which follows from them.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
import { getField } from "../../../../kube/json.ts";
import {
  addQuantities,
  compareAmounts,
  formatQuantity,
  parseQuantity,
} from "../../../../kube/values/quantity.ts";
import type { ResourceList } from "../shapes.ts";
import { type Container, type PodSpec, containersOf } from "./pod-shapes.ts";

/**
 * The total requests of the containers: their sum, or the requests of an init container if they are
 * larger.
 */
export function aggregateRequests(spec: PodSpec): ResourceList {
  return aggregate(spec, (container) => container.resources?.requests ?? {});
}

/** The total limits of the containers, computed like the requests. */
export function aggregateLimits(spec: PodSpec): ResourceList {
  return aggregate(spec, (container) => container.resources?.limits ?? {});
}

/**
 * The amounts that a pod takes of its node: the requests of the whole pod where its spec has them,
 * else those of its containers, and the overhead of its runtime.
 */
export function podRequests(spec: PodSpec): ResourceList {
  const requests: ResourceList = { ...aggregateRequests(spec), ...spec.resources?.requests };
  addTo(requests, spec.overhead ?? {});
  return requests;
}

/** The QoS class of a pod: `Guaranteed`, `Burstable` or `BestEffort`. */
export function qosClassOf(spec: PodSpec): string {
  const { resources } = spec;
  const parts =
    resources && (resources.requests ?? resources.limits)
      ? [resources]
      : containersOf(spec).map((one) => one.resources ?? {});
  const asks = (amounts: ResourceList = {}): [string, string][] =>
    Object.entries(amounts).filter(
      ([name, amount]) => (name === "cpu" || name === "memory") && parseQuantity(amount).nanos > 0n,
    );
  if (parts.every(({ requests, limits }) => asks(requests).length + asks(limits).length === 0)) {
    return "BestEffort";
  }
  const isGuaranteed = parts.every(({ requests, limits }) => {
    const limited = new Map(asks(limits));
    return (
      limited.size === 2 &&
      asks(requests).every(
        ([name, amount]) => compareAmounts(limited.get(name) ?? "0", amount) === 0,
      )
    );
  });
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

function aggregate(spec: PodSpec, pick: (container: Container) => ResourceList): ResourceList {
  const sum: ResourceList = {};
  for (const container of spec.containers ?? []) addTo(sum, pick(container));
  const sidecars: ResourceList = {};
  const peak: ResourceList = {};
  for (const container of spec.initContainers ?? []) {
    const amounts = pick(container);
    if (container.restartPolicy === "Always") {
      addTo(sum, amounts);
      addTo(sidecars, amounts);
      raiseTo(peak, sidecars);
    } else {
      const together = { ...sidecars };
      addTo(together, amounts);
      raiseTo(peak, together);
    }
  }
  raiseTo(sum, peak);
  return sum;
}

function addTo(sum: ResourceList, amounts: ResourceList): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const before = getField(sum, name);
    sum[name] =
      before === undefined
        ? amount
        : formatQuantity(addQuantities(parseQuantity(before), parseQuantity(amount)));
  }
}

function raiseTo(sum: ResourceList, amounts: ResourceList): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const before = getField(sum, name);
    if (before === undefined || compareAmounts(before, amount) < 0) sum[name] = amount;
  }
}
