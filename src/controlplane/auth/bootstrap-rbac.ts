/**
 * The roles and bindings that every cluster begins with.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
import { readData } from "../data-file.ts";
import type { SentObject } from "../../kube/object.ts";
import { present } from "../../present.ts";

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The bootstrap objects, without the fields that the store sets. */
export function bootstrapRbacObjects(): SentObject[] {
  const rows = readData<Row[]>(new URL("./bootstrap-rbac.data.json", import.meta.url));
  return rows.map(({ kind, name, namespace, labels, ...rest }) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: {
      name,
      ...present({ namespace }),
      labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    },
    ...rest,
  }));
}
