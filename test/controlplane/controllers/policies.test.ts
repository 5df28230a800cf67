import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster, template } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function start(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster();
  open.push(cluster);
  return cluster;
}

const named = (name: string): object => ({ name, namespace: "default" });

describe("ResourceQuotaController", () => {
  it("counts what is used, and admission refuses what is too much", async () => {
    const cluster = await start();
    await cluster.create("resourcequotas", {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: named("q"),
      spec: { hard: { configmaps: "2" } },
    });
    await cluster.settle();
    const map = (name: string): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: named(name),
    });
    expect(cluster.get("resourcequotas", "q").status.used).toEqual({ configmaps: "1" });
    await cluster.create("configmaps", map("a"));
    await expect(cluster.create("configmaps", map("b"))).rejects.toThrow(
      'configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
    );
  });
});

describe("DisruptionBudgetController", () => {
  it("allows as many evictions as leave enough healthy pods", async () => {
    const cluster = await start();
    await cluster.create("replicasets.apps", {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: named("r"),
      spec: { replicas: 3, selector: { matchLabels: { app: "r" } }, template: template("r") },
    });
    await cluster.create("poddisruptionbudgets.policy", {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: named("b"),
      spec: { minAvailable: 2, selector: { matchLabels: { app: "r" } } },
    });
    await cluster.settle();
    expect(cluster.get("poddisruptionbudgets.policy", "b").status).toMatchObject({
      currentHealthy: 3,
      disruptionsAllowed: 1,
    });
  });
});

describe("VolumeBinder", () => {
  it("makes a volume up for a claim with a class, as a provisioner would", async () => {
    const cluster = await start();
    await cluster.create("storageclasses.storage.k8s.io", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "fast" },
      provisioner: "simulated.example.com",
    });
    await cluster.create("persistentvolumeclaims", {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: named("data"),
      spec: {
        storageClassName: "fast",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    });
    await cluster.settle();
    expect(cluster.get("persistentvolumeclaims", "data").status).toMatchObject({
      phase: "Bound",
      capacity: { storage: "1Gi" },
    });
  });
});

describe("ClusterRoleAggregationController", () => {
  it("collects the rules of the roles with the label", async () => {
    const cluster = await start();
    const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
    const role = (name: string, more: object): object => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
      ...more,
    });
    const roles = "clusterroles.rbac.authorization.k8s.io";
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { to: "all" } }] };
    await cluster.create(roles, role("all", { aggregationRule, rules: [] }));
    const labelled = { metadata: { name: "part", labels: { to: "all" } }, rules: [rule] };
    await cluster.create(roles, role("part", labelled));
    await cluster.settle();
    expect(cluster.get(roles, "all").rules).toEqual([rule]);
  });
});
