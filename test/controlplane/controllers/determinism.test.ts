import { describe, expect, it } from "vitest";
import type { SentObject } from "../../../src/kube/object.ts";
import { simulatedCluster, template } from "./simulated-cluster.ts";

/** Everything that a morning of controllers leaves behind, in the order of its writing. */
async function morning(): Promise<readonly SentObject[]> {
  const cluster = await simulatedCluster();
  const named = (name: string): object => ({ name, namespace: "default" });
  await cluster.create("deployments.apps", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: named("web"),
    spec: { replicas: 4, selector: { matchLabels: { app: "web" } }, template: template("web") },
  });
  await cluster.create("cronjobs.batch", {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: named("report"),
    spec: {
      schedule: "*/20 * * * *",
      jobTemplate: { spec: { template: template("report", { restartPolicy: "Never" }) } },
    },
  });
  await cluster.settle();
  const key = { namespace: "default", name: "web" };
  const next = { spec: { template: template("web", { terminationGracePeriodSeconds: 5 }) } };
  await cluster.client.patch({ group: "apps", plural: "deployments" }, key, next);
  await cluster.settle();
  for (let hour = 0; hour < 2; hour++) {
    await cluster.clock.advance(3_600_000);
    await cluster.settle();
  }
  const objects = cluster.client.resources().flatMap((one) => cluster.client.list(one));
  cluster.stop();
  const version = ({ metadata }: SentObject): number => Number(metadata.resourceVersion);
  return objects.toSorted((left, right) => version(left) - version(right));
}

describe("The controllers on a clock that is moved by hand", () => {
  it("leave the same objects with the same names and versions, however often they run", async () => {
    const first = await morning();
    expect(first.filter(({ kind }) => kind === "Pod").length).toBeGreaterThan(4);
    expect(await morning()).toEqual(first);
  });
});
