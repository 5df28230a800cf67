/**
 * The addresses that a load balancer gave.
 *
 * @module
 */
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";

/** The addresses that a load balancer gave, sorted. */
export function loadBalancerAddresses(object: SentObject): readonly string[] {
  const addresses = listAt(object, "status.loadBalancer.ingress")
    .map((ingress) => textAt(ingress, "ip", textAt(ingress, "hostname")))
    .filter((address) => address !== "");
  return [...new Set(addresses)].sort();
}
