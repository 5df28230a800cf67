/** Services as a table. */
import type { SentObject } from "../../../../../kube/object.ts";
import { listAt, numberAt, textAt } from "../../../at.ts";
import { loadBalancerAddresses } from "../../../shared/addresses/load-balancers.ts";

export function externalAddress(service: SentObject): string {
  const external = listAt(service, "spec.externalIPs").map(String);
  switch (textAt(service, "spec.type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(service), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textAt(service, "spec.externalName");
    default:
      return "<unknown>";
  }
}

export function servicePort(port: unknown): string {
  const nodePort = numberAt(port, "nodePort");
  const number = textAt(port, "port");
  return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${textAt(port, "protocol")}`;
}
