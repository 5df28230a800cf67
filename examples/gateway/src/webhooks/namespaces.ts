/** All namespaces but the cluster's own and the operator's: those have to work while no operator answers. */
export const OF_USERS = {
  matchExpressions: [
    {
      key: "kubernetes.io/metadata.name",
      operator: "NotIn",
      values: ["kube-system", "gateway-system"],
    },
  ],
} as const;
