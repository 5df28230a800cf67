/**
 * An operator is installed, deployed, upgraded and removed, and nothing of it is left. With a real API server, and with the
 * chart: `npm run verify -- life-cycle`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { startControlPlane, type ControlPlane } from "../../src/testing.ts";
import { fastClock } from "../support/fast-clock.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { LifeCycle } from "./support/life-cycle.ts";
import { Newcomer } from "./support/newcomer.ts";

describe.skipIf(!hasKubectl)("the life of an operator", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  let cluster: ControlPlane;
  let kubectl: Kubectl;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
    cluster = await startControlPlane({ clock: fastClock() });
    kubectl = new Kubectl(cluster.kubeconfig);
  }, 300_000);
  afterAll(async () => {
    kubectl.close();
    await cluster.stop();
    newcomer.leave();
  });

  it("leaves exactly what it should after install, deploy, upgrade, undeploy and uninstall", async () => {
    const kubeconfig = join(newcomer.home, "kubeconfig");
    writeFileSync(kubeconfig, cluster.kubeconfig);
    const life = new LifeCycle(newcomer, kubectl, kubeconfig, () => cluster.settle());
    for (const step of Object.values(life.operator)) await step();
  });
});
