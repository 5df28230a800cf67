/** All namespaces except kube-system and the operator's, which must keep working while the operator is down. */
export const OF_USERS = {
  matchExpressions: [
    {
      key: "kubernetes.io/metadata.name",
      operator: "NotIn",
      values: ["kube-system", "gateway-system"],
    },
  ],
} as const;
