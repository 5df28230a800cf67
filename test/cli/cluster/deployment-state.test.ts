import { describe, expect, it } from "vitest";
import {
  missingIn,
  type DeploymentState,
  type PodState,
} from "../../../src/cli/cluster/deployment-state.ts";

const META = {
  namespace: "shop",
  name: "web",
  generation: 3,
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const deployment = (status: DeploymentState["status"], replicas = 2): DeploymentState => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: META,
  spec: { replicas },
  status: { observedGeneration: 3, ...status },
});
const pod = (status: PodState["status"]): PodState => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...META, name: "web-1" },
  ...(status ? { status } : {}),
});

const missingOf = (live: DeploymentState | undefined, pods: readonly PodState[]) =>
  missingIn(live, pods, 0);
const MANAGER = { name: "manager", image: "", imageID: "", ready: false, restartCount: 0 };
const available = [{ type: "Available", status: "True" }];

describe("missingIn", () => {
  it("misses nothing when all pods are new and available", () => {
    const counts = { replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };
    const done = { ...counts, conditions: available };
    expect(missingOf(deployment(done), [])).toBeUndefined();
    expect(missingOf(deployment({ conditions: available }, 0), [])).toBeUndefined();
    expect(missingOf(deployment(counts), [])).toBe(
      "shop/web is not done: Deployment not Available",
    );
  });

  it("waits for the controller, for new pods, and for old ones to end", () => {
    expect(missingOf(undefined, [])).toBe("the Deployment does not exist");
    expect(missingOf(deployment({ observedGeneration: 2 }), [])).toBe(
      "shop/web was not looked at yet",
    );
    expect(
      missingOf(deployment({ replicas: 3, updatedReplicas: 1, availableReplicas: 2 }), []),
    ).toBe("1 of 2 new pods of shop/web are available");
    expect(
      missingOf(deployment({ replicas: 3, updatedReplicas: 2, availableReplicas: 2 }), []),
    ).toBe("1 old pod of shop/web must end");
  });

  it.each<[string, PodState["status"], string]>([
    [
      "an image that cannot be pulled",
      {
        containerStatuses: [
          {
            ...MANAGER,
            state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
          },
        ],
      },
      "container manager of pod web-1 waits with ImagePullBackOff (no such image)",
    ],
    [
      "a container that crashes",
      {
        containerStatuses: [
          { ...MANAGER, restartCount: 4, state: { waiting: { reason: "CrashLoopBackOff" } } },
        ],
      },
      "container manager of pod web-1 waits with CrashLoopBackOff, restarted 4 times",
    ],
    [
      "a container that ended",
      { containerStatuses: [{ ...MANAGER, state: { terminated: { exitCode: 3 } } }] },
      "container manager of pod web-1 exited with code 3",
    ],
    [
      "a pod that no node takes",
      { conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes fit" }] },
      "pod web-1: 0/1 nodes fit",
    ],
    ["a pod that is only slow", { phase: "Pending" }, ""],
  ])("names %s", (_what, status, cause) => {
    const missing = missingOf(deployment({ updatedReplicas: 2 }), [pod(status)]);
    expect(missing).toBe(
      `0 of 2 new pods of shop/web are available${cause === "" ? "" : `: ${cause}`}`,
    );
  });

  it("gives up with the cause when the Deployment did", () => {
    const conditions = [
      { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" },
      { type: "ReplicaFailure", status: "True", message: "exceeded quota" },
    ];
    expect(() => missingOf(deployment({ conditions }), [])).toThrow(
      "The Deployment shop/web stopped its rollout: exceeded quota.",
    );
  });
});
