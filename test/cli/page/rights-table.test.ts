/** Rights that roles grant beside those that were used. */
import { describe, expect, it } from "vitest";
import { grantedRights, rightsTable } from "../../../src/cli/page/rights-table.ts";
import type { ManifestObject } from "../../../src/kube/object.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

function manifests(rules: object[], others: ManifestObject[] = []): ManifestObject[] {
  const subjects = [{ kind: "ServiceAccount", name: "shop", namespace: "shop-system" }];
  const roleRef = { kind: "ClusterRole", name: "shop-manager" };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "shop" } },
    { apiVersion: RBAC, kind: "ClusterRole", metadata: { name: "shop-manager" }, rules },
    { apiVersion: RBAC, kind: "ClusterRoleBinding", metadata: { name: "b" }, roleRef, subjects },
    ...others,
  ] as ManifestObject[];
}

const PODS = { apiGroups: [""], resources: ["pods"], verbs: ["list", "watch"] };

describe("rights granted and used", () => {
  it("counts the requests that used a right, and shows those that nobody used", () => {
    const used = [{ verb: "list", resource: "pods", count: 3, refused: 0 }];
    expect(rightsTable(grantedRights(manifests([PODS])), used)).toEqual([
      { verb: "list", resource: "pods", granted: "everywhere", used: 3, refused: 0 },
      { verb: "watch", resource: "pods", granted: "everywhere", used: 0, refused: 0 },
    ]);
  });

  it("shows what was used without being granted, with what was refused", () => {
    const used = [{ verb: "delete", resource: "deployments.apps", count: 2, refused: 2 }];
    const rows = rightsTable(grantedRights(manifests([PODS])), used);
    expect(rows).toContainEqual({
      verb: "delete",
      resource: "deployments.apps",
      used: 2,
      refused: 2,
    });
  });

  it("takes a resource alone for no right on its subresources", () => {
    const used = [{ verb: "list", resource: "pods", subresource: "status", count: 1, refused: 0 }];
    const rows = rightsTable(grantedRights(manifests([PODS])), used);
    expect(rows.find(({ subresource }) => subresource === "status")).not.toHaveProperty("granted");
  });

  it("takes stars for any group, resource and verb", () => {
    const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
    const used = [{ verb: "list", resource: "deployments.apps", count: 1, refused: 0 }];
    expect(rightsTable(grantedRights(manifests([all])), used)).toEqual([
      { verb: "*", resource: "*", granted: "everywhere", used: 1, refused: 0 },
    ]);
  });

  it("says in which namespace, and for which names", () => {
    const names = { ...PODS, verbs: ["get"], resourceNames: ["one"] };
    const role = {
      apiVersion: RBAC,
      kind: "Role",
      metadata: { name: "leases", namespace: "shop-system" },
      rules: [names],
    };
    const binding = {
      apiVersion: RBAC,
      kind: "RoleBinding",
      metadata: { name: "leases", namespace: "shop-system" },
      roleRef: { kind: "Role", name: "leases" },
      subjects: [{ kind: "ServiceAccount", name: "shop" }],
    };
    const rendered = manifests([], [role, binding] as ManifestObject[]);
    expect(rightsTable(grantedRights(rendered), [])).toEqual([
      {
        verb: "get",
        resource: "pods",
        granted: "in shop-system, only one",
        used: 0,
        refused: 0,
      },
    ]);
  });

  it("leaves out roles of others", () => {
    const [account, role] = manifests([PODS]);
    const binding = {
      apiVersion: RBAC,
      kind: "ClusterRoleBinding",
      metadata: { name: "others" },
      roleRef: { kind: "ClusterRole", name: "shop-manager" },
      subjects: [{ kind: "User", name: "ada" }],
    } as ManifestObject;
    expect(grantedRights([account!, role!, binding])).toEqual([]);
  });
});
