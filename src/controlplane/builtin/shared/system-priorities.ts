/** The PriorityClasses that Kubernetes defines. */

/** The priority classes that every cluster has. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2_000_001_000],
  ["system-cluster-critical", 2_000_000_000],
]);
