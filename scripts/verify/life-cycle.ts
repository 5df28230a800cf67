import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { LifeCycle } from "../../test/journeys/support/life-cycle.ts";
import { Newcomer } from "../../test/journeys/support/newcomer.ts";
import { ReadyPods } from "../../test/journeys/support/ready-pods.ts";
import { Kubectl } from "../../test/support/kubectl.ts";
import { defineVerification } from "../programs/program.ts";

export const program = defineVerification({
  about:
    "Installs, deploys, upgrades and removes an operator, also as a Helm chart, and counts all objects after each step.",
  compares: "steps",
  needs: ["a build", "kubectl", "helm"],
  options: {
    kubeconfig: { type: "text", about: "of a real API server, instead of the embedded one" },
  },
  run: async ({ values, tally }) => {
    const newcomer = await Newcomer.arrive();
    const plane = values.kubeconfig === undefined ? newcomer.start("npx tsop cluster") : undefined;
    await plane?.waitFor(/kubeconfig/);
    const kubeconfig = resolve(values.kubeconfig ?? join(newcomer.home, ".tsop/kubeconfig"));
    const kubectl = new Kubectl(readFileSync(kubeconfig, "utf8"));
    const pods = await ReadyPods.whereNobodyRunsThem(kubectl);
    try {
      const { operator, more, chart } = new LifeCycle(newcomer, kubectl, kubeconfig);
      await tally.checkAll(Object.entries({ ...operator, ...more, ...chart }));
    } finally {
      await pods.stop();
      kubectl.close();
      await plane?.stop();
      newcomer.leave();
    }
  },
});
