import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { mergePatch } from "../../../src/index.ts";
import {
  Event,
  Pod,
  StatefulSet,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../src/k8s.ts";
import { clientFor, startControlPlane } from "../../../src/testing.ts";
import { type SimulatedCluster, simulatedCluster, template } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function start(mode: "on" | "no-kubelet" = "on"): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster(mode);
  open.push(cluster);
  return cluster;
}

const named = (name: string): object => ({ name, namespace: "default" });

const job = (name: string, spec: object = {}): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: named(name),
  spec: { template: template(name, { restartPolicy: "Never" }), ...spec },
});

describe("JobController", () => {
  it("runs as many pods as it needs completions, counts each once and is complete", async () => {
    const cluster = await start();
    await cluster.create("jobs.batch", job("j", { completions: 3, parallelism: 2 }));
    await cluster.settle();
    expect(cluster.get("jobs.batch", "j").status).toMatchObject({
      succeeded: 3,
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete", status: "True" }],
      uncountedTerminatedPods: {},
    });
    expect(cluster.list("pods").map(({ metadata }) => metadata.finalizers)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("gives each pod of an indexed Job its index", async () => {
    const cluster = await start();
    await cluster.create(
      "jobs.batch",
      job("j", { completions: 3, parallelism: 3, completionMode: "Indexed" }),
    );
    await cluster.settle();
    expect(cluster.get("jobs.batch", "j").status.completedIndexes).toBe("0-2");
    expect(cluster.list("pods").map(({ spec }) => spec.hostname as string)).toEqual([
      "j-0",
      "j-1",
      "j-2",
    ]);
  });

  it("fails a Job that is active for too long, no sooner", async () => {
    const cluster = await start("no-kubelet");
    await cluster.create("jobs.batch", job("j", { activeDeadlineSeconds: 60 }));
    await cluster.settle();
    await cluster.clock.advance(59_000);
    await cluster.settle();
    expect(cluster.get("jobs.batch", "j").status.active).toBe(1);
    await cluster.clock.advance(1000);
    await cluster.settle();
    expect(cluster.get("jobs.batch", "j").status.conditions).toContainEqual(
      expect.objectContaining({ type: "Failed", reason: "DeadlineExceeded" }),
    );
  });

  it("removes a finished Job when its time to live is over", async () => {
    const cluster = await start();
    await cluster.create("jobs.batch", job("j", { ttlSecondsAfterFinished: 30 }));
    await cluster.settle();
    expect(cluster.list("jobs.batch")).toHaveLength(1);
    await cluster.clock.advance(31_000);
    await cluster.settle();
    expect(cluster.list("jobs.batch")).toEqual([]);
    expect(cluster.list("pods")).toEqual([]);
  });
});

describe("CronJobController", () => {
  it("starts a Job each time the schedule says so", async () => {
    const cluster = await start();
    await cluster.create("cronjobs.batch", {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: named("c"),
      spec: {
        schedule: "*/15 * * * *",
        jobTemplate: { spec: { template: template("c", { restartPolicy: "Never" }) } },
      },
    });
    await cluster.settle();
    for (let quarter = 0; quarter < 3; quarter++) {
      await cluster.clock.advance(15 * 60_000);
      await cluster.settle();
    }
    expect(cluster.list("jobs.batch")).toHaveLength(3);
    expect(cluster.get("cronjobs.batch", "c").status).toMatchObject({
      lastScheduleTime: "2026-01-05T10:45:00Z",
    });
  });
});

describe("StatefulSetController", () => {
  it("makes pods in order, with claims that stay when it shrinks", async () => {
    const cluster = await start();
    await cluster.create("statefulsets.apps", {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: named("db"),
      spec: {
        replicas: 3,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: template("db"),
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    });
    await cluster.settle();
    const names = (resource: string): unknown[] =>
      cluster.list(resource).map(({ metadata }) => metadata.name);
    expect(names("pods")).toEqual(["db-0", "db-1", "db-2"]);
    expect(cluster.get("statefulsets.apps", "db").status).toMatchObject({ readyReplicas: 3 });
    await cluster.client.patch(
      { group: "apps", plural: "statefulsets" },
      { namespace: "default", name: "db" },
      { spec: { replicas: 1 } },
    );
    await cluster.settle();
    expect(names("pods")).toEqual(["db-0"]);
    expect(names("persistentvolumeclaims")).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
  });

  it("tells in an event that a pod cannot be deleted", async () => {
    await using cluster = await startControlPlane({ listen: false });
    const client = clientFor(cluster);
    const pods = { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
    await client.create(ValidatingAdmissionPolicy, {
      metadata: { name: "keep" },
      spec: {
        matchConstraints: { resourceRules: [{ operations: ["DELETE"], ...pods }] },
        validations: [{ expression: "false", message: "pods are kept" }],
      },
    });
    await client.create(ValidatingAdmissionPolicyBinding, {
      metadata: { name: "keep" },
      spec: { policyName: "keep", validationActions: ["Deny"] },
    });
    const set = { name: "db", namespace: "default" };
    await client.create(StatefulSet, {
      metadata: set,
      spec: {
        replicas: 1,
        serviceName: "db",
        selector: { matchLabels: { app: "db" } },
        template: {
          metadata: { labels: { app: "db" } },
          spec: { containers: [{ name: "c", image: "x:1" }] },
        },
      },
    });
    await eventually(() => client.get(Pod, { name: "db-0", namespace: "default" }));
    await client.patch(StatefulSet, set, mergePatch({ spec: { replicas: 0 } }));
    await eventually(async () => {
      const events = await client.list(Event, { namespace: "default" });
      expect(events).toContainEqual(
        expect.objectContaining({
          type: "Warning",
          reason: "FailedDelete",
          message: expect.stringMatching(
            /^Delete Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: .*pods are kept$/,
          ),
        }),
      );
    });
    await client.get(Pod, { name: "db-0", namespace: "default" });
  });
});

describe("DaemonSetController", () => {
  it("follows the nodes that fit", async () => {
    const cluster = await start();
    await cluster.create("daemonsets.apps", {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: named("agent"),
      spec: {
        selector: { matchLabels: { app: "agent" } },
        template: template("agent", { nodeSelector: { pool: "a" } }),
      },
    });
    await cluster.settle();
    expect(cluster.list("pods")).toEqual([]);
    await cluster.client.patch(
      { group: "", plural: "nodes" },
      { name: "tsop-node" },
      { metadata: { labels: { pool: "a" } } },
    );
    await cluster.settle();
    expect(cluster.get("daemonsets.apps", "agent").status).toMatchObject({
      desiredNumberScheduled: 1,
      numberAvailable: 1,
    });
  });
});
