/** The addresses in the status of a load balancer. */
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";

/** The addresses that a load balancer assigned, sorted. */
export function loadBalancerAddresses(object: SentObject): readonly string[] {
  const addresses = listAt(object, "status.loadBalancer.ingress")
    .map((ingress) => textAt(ingress, "ip", textAt(ingress, "hostname")))
    .filter((address) => address !== "");
  return [...new Set(addresses)].sort();
}
