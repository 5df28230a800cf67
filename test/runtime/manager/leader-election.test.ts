import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager, loadClusterConfig } from "../../../src/index.ts";
import { Lease } from "../../../src/k8s.ts";
import {
  clientFor,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../../src/testing.ts";
import { eventually } from "../../support/eventually.ts";

describe("leader election", () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  function start(identity: string) {
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      leaderElection: {
        id: "web",
        identity,
        leaseDurationMs: 10_000,
        renewDeadlineMs: 5000,
        retryPeriodMs: 50,
      },
    });
    const state = { led: false };
    manager.add({
      start: (signal) => {
        state.led = true;
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve();
          });
        });
      },
    });
    const stop = new AbortController();
    return { state, stop, running: manager.start(stop.signal) };
  }

  it("lets one work, and the next one as soon as that has ended", async () => {
    const first = start("first");
    await eventually(() => {
      expect(first.state.led).toBe(true);
    });
    const second = start("second");
    const renewed = new Set<string | undefined>();
    await eventually(async () => {
      const { spec } = await clientFor(cluster).get(Lease, { namespace: "default", name: "web" });
      renewed.add(spec?.renewTime);
      expect(renewed.size).toBeGreaterThan(3);
    });
    expect(second.state.led).toBe(false);
    first.stop.abort();
    await first.running;
    await eventually(() => {
      expect(second.state.led).toBe(true);
    });
    const lease = await clientFor(cluster).get(Lease, { namespace: "default", name: "web" });
    expect(lease.spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    second.stop.abort();
    await second.running;
  });

  it("refuses times that do not fit together", async () => {
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      leaderElection: { id: "bad", leaseDurationMs: 1000, renewDeadlineMs: 1000 },
    });
    await expect(manager.start(new AbortController().signal)).rejects.toMatchObject({
      code: "leader-election-times",
    });
  });
});
