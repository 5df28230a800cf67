/**
 * The examples as they are published: their own checks and tests, the quickstart that shows the first, and webhooks that are
 * deployed and asked.
 */
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCheckout } from "../support/built-checkout.ts";
import { copyExampleTo } from "../support/example.ts";
import { type ControlPlane, startControlPlane } from "../../src/testing.ts";
import { hasKubectl, Kubectl } from "../support/kubectl.ts";
import { lookAtGateways } from "./support/gateway-journey.ts";
import { Newcomer } from "./support/newcomer.ts";

describe("examples/myweb", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
  }, 300_000);
  afterAll(() => newcomer.leave());

  it("passes its checks and its tests", async () => {
    const folder = join(newcomer.home, "myweb");
    copyExampleTo(folder);
    await newcomer.succeed("npm install", folder);
    await newcomer.succeed("npm run check", folder);
    expect(await newcomer.succeed("npm test", folder)).toMatch(/Tests .*5 passed/);
  });

  it("is shown by the quickstart, from its code to nothing left", async () => {
    const checkout = await builtCheckout();
    const folder = join(checkout, "examples/myweb");
    if (!existsSync(folder)) copyExampleTo(folder);
    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/quickstart.mjs"], {
      cwd: checkout,
    });
    for (const told of [
      "MyWeb/myweb is completed, served on port 30100",
      "made way for Pod/myweb-",
      "MyWeb, ConfigMap, Deployment, Service and pods are gone",
      "Next: an operator of your own",
    ]) {
      expect(stdout).toContain(told);
    }
  });
});

describe("examples/gateway", { timeout: 240_000 }, () => {
  let newcomer: Newcomer;
  let folder: string;
  beforeAll(async () => {
    newcomer = await Newcomer.arrive();
    folder = join(newcomer.home, "gateway");
    copyExampleTo(folder, "gateway");
    await newcomer.succeed("npm install", folder);
  }, 300_000);
  afterAll(() => newcomer.leave());

  it("passes its checks and its tests", async () => {
    await newcomer.succeed("npm run check", folder);
    expect(await newcomer.succeed("npm test", folder)).toMatch(/Tests .*13 passed/);
  });

  describe.skipIf(!hasKubectl)("on the control plane", () => {
    let cluster: ControlPlane;
    let kubectl: Kubectl;
    const tsop = (line: string): Promise<string> =>
      newcomer.succeed(`npx tsop ${line} --kubeconfig kubeconfig`, folder);
    beforeAll(async () => {
      cluster = await startControlPlane();
      kubectl = new Kubectl(cluster.kubeconfig);
      writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig);
    });
    afterAll(async () => {
      kubectl.close();
      await cluster.stop();
    });

    it("is deployed with its webhooks, and leaves nothing when it is undeployed", async () => {
      const names = ["-o", "name", "--all-namespaces"];
      const kinds =
        "crds,validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings,deployments,services,secrets,namespaces";
      const before = await kubectl.output(["get", kinds, ...names]);
      await tsop("deploy --image gateway:1");
      expect(await kubectl.output(["get", kinds, ...names])).toContain(
        "validatingwebhookconfiguration.admissionregistration.k8s.io/gateway-validating-webhook-configuration",
      );
      await tsop("undeploy");
      expect(await kubectl.output(["get", kinds, ...names])).toBe(before);
    });

    it("answers reviews and reconciles as a process of this machine", async () => {
      await tsop("install");
      const operator = newcomer.start("npx tsop run --kubeconfig kubeconfig", folder);
      await operator.waitFor(/^webhooks /m);
      await lookAtGateways(kubectl, folder);
      expect((await operator.stop()).code).toBe(0);
    });
  });
});
