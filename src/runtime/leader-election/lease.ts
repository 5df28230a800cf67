/**
 * Leases: the objects by which processes agree on the leader, or on the owner of each key.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 */
import type { KubeObject } from "../../kube/object.ts";
import type { ResourceType } from "../../kube/resource.ts";

/** The holder of a Lease, and its duration. */
export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** An object of `coordination.k8s.io/v1`. */
export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export const LEASE: ResourceType<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
