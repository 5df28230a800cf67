import { describe, expect, it } from "vitest";
import { strategyFor } from "../../../../../src/controlplane/builtin/strategies/strategy-for.ts";
import type { SentObject } from "../../../../../src/kube/object.ts";

const CURRENT = "autoscaling.alpha.kubernetes.io/current-metrics";
const strategy = strategyFor("autoscaling", "HorizontalPodAutoscaler");
const autoscaler = (more: object): SentObject =>
  ({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "h" },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d" } },
    ...more,
  }) as unknown as SentObject;

describe("An autoscaler of v1", () => {
  it("notes the metrics of its status in an annotation, with the fields of the version in their order", () => {
    const object = autoscaler({ status: { currentCPUUtilizationPercentage: 4 } });
    strategy.setDefaults(object);
    expect(object.metadata.annotations).toEqual({
      [CURRENT]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":4,"currentAverageValue":"0"}}]',
    });
    expect(object).toMatchObject({ spec: { minReplicas: 1, targetCPUUtilizationPercentage: 80 } });
  });

  it("keeps, when all but the status is written, the metrics of the status that is stored", () => {
    const old = autoscaler({ status: { currentCPUUtilizationPercentage: 4 } });
    strategy.setDefaults(old);
    const object = autoscaler({ metadata: { name: "h", annotations: { a: "b" } } });
    strategy.setDefaults(object);
    strategy.prepareForUpdate(object, old, undefined as never);
    expect(object.metadata.annotations).toMatchObject({ a: "b", ...old.metadata.annotations });
    expect(object).toMatchObject({ status: { currentCPUUtilizationPercentage: 4 } });
  });

  it("is refused in the words of v2", () => {
    const object = autoscaler({});
    (object as unknown as { spec: Record<string, unknown> }).spec[
      "targetCPUUtilizationPercentage"
    ] = 0;
    expect(strategy.validateCreate(object, {} as never).map(({ field }) => field)).toContain(
      "spec.metrics[0].resource.target.averageUtilization",
    );
  });
});
