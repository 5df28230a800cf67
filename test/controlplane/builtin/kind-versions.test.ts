import { describe, expect, it } from "vitest";
import { convertVersion } from "../../../src/controlplane/builtin/kind-versions.ts";
import type { JsonObject } from "../../../src/kube/object.ts";

const autoscaler: JsonObject = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h", annotations: { mine: "kept" } },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue: "10" } },
      },
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
      },
    ],
    behavior: {
      scaleDown: {
        stabilizationWindowSeconds: 60,
        selectPolicy: "Max",
        policies: [{ type: "Pods", value: 1, periodSeconds: 15 }],
      },
    },
  },
  status: { desiredReplicas: 0, currentMetrics: null },
};

describe("convertVersion", () => {
  it("shows an autoscaler in v1: the CPU as a number, everything else in annotations", () => {
    const v1 = convertVersion(autoscaler, "autoscaling/v1") as {
      spec: JsonObject;
      metadata: { annotations: Record<string, string> };
    };
    expect(v1.spec).toEqual({
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    });
    const { annotations } = v1.metadata;
    expect(annotations["mine"]).toBe("kept");
    expect(JSON.parse(annotations["autoscaling.alpha.kubernetes.io/metrics"] ?? "")).toEqual([
      { type: "Pods", pods: { metricName: "qps", targetAverageValue: "10" } },
    ]);
    expect(annotations["autoscaling.alpha.kubernetes.io/behavior"]).toContain(
      '"StabilizationWindowSeconds":60',
    );
  });

  it("brings an autoscaler back to v2 as it was", () => {
    const there = convertVersion(autoscaler, "autoscaling/v1");
    expect(convertVersion(there, "autoscaling/v2")).toEqual(autoscaler);
  });

  it("gives an autoscaler of v1 without any metric the one that v1 means", () => {
    const bare = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { maxReplicas: 2 },
    };
    expect(convertVersion(bare, "autoscaling/v2")).toMatchObject({
      spec: { metrics: [{ resource: { name: "cpu", target: { averageUtilization: 80 } } }] },
    });
  });

  it("renames the fields of an Event between its two groups, and back", () => {
    const event: JsonObject = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "p" },
      message: "hello",
      count: 2,
      reportingComponent: "",
      reportingInstance: "",
    };
    const other = convertVersion(event, "events.k8s.io/v1");
    expect(other).toEqual({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e" },
      regarding: { kind: "Pod", name: "p" },
      note: "hello",
      deprecatedCount: 2,
    });
    expect(convertVersion(other, "v1")).toEqual(event);
  });
});
