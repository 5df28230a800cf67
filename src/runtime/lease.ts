/**
 * Leases: what processes agree by on who leads, or on who has which keys.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/lease-v1/
 * @module
 */
import type { KubeObject } from "../kube/object.ts";
import type { ResourceType } from "../kube/resource.ts";

/** Who holds a Lease, and for how long. */
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

/** The kind of Leases. */
export const LEASE: ResourceType<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
