/** The shape of a Service. */
import type { SentObject } from "../../../../../kube/object.ts";
import type { IntOrString } from "../../../shared/shapes.ts";

export interface ServicePort {
  name?: string;
  protocol?: string;
  appProtocol?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
}

export type ServiceSpec = Service["spec"];

export interface Service extends SentObject {
  spec: {
    ports?: ServicePort[];
    selector?: Record<string, string>;
    clusterIP?: string;
    clusterIPs?: string[];
    type?: string;
    externalIPs?: string[];
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    loadBalancerIP?: string;
    loadBalancerSourceRanges?: string[];
    loadBalancerClass?: string;
    externalName?: string;
    externalTrafficPolicy?: string;
    internalTrafficPolicy?: string;
    healthCheckNodePort?: number;
    publishNotReadyAddresses?: boolean;
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    trafficDistribution?: string;
  };
  status?: { loadBalancer?: { ingress?: { ip?: string; ipMode?: string; hostname?: string }[] } };
}
