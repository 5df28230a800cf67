/**
 * `npm run webhooks -- --home DIR [--objects N]`: webhooks against a real control plane, with the
 * operator as a process of this machine: a kind with defaults, checks and two versions, made by the
 * commands alone, is installed, asked with kubectl, and migrated while others write. Then
 * `examples/gateway`, as its users see it.
 *
 * `DIR/bin` has etcd, kube-apiserver and kube-controller-manager. Prints a line for each step, and
 * exits with 1 when a check fails.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import { lookAtGateways } from "../test/journeys/support/gateway-journey.ts";
import { Newcomer } from "../test/journeys/support/newcomer.ts";
import { WebhookJourney } from "../test/journeys/support/webhook-journey.ts";
import { copyExampleTo } from "../test/support/example.ts";
import { Kubectl } from "../test/support/kubectl.ts";
import { FaultyControlPlane } from "./faults/control-plane.ts";

const { values } = parseArgs({
  options: { home: { type: "string" }, objects: { type: "string", default: "1000" } },
});
if (values.home === undefined)
  throw new Error(
    "--home DIR: the folder whose bin/ has etcd, kube-apiserver and kube-controller-manager",
  );

const folder = mkdtempSync(join(tmpdir(), "tsop-webhooks-"));
const plane = await FaultyControlPlane.start(values.home, folder);
process.once("exit", () => plane.kill());
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const kubeconfig = join(folder, "admin.kubeconfig");
const kubectl = new Kubectl(readFileSync(kubeconfig, "utf8"));
const newcomer = await Newcomer.arrive();
const journey = new WebhookJourney(newcomer);
const client = plane.admin();

async function step(what: string, run: () => Promise<string | undefined>): Promise<void> {
  const beganMs = systemClock.monotonicMs();
  const seen = await run();
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1);
  console.log(`${what} | ${seen ?? "ok"} | ${seconds} s`);
}

const configurations = ["get", "mutatingwebhookconfigurations,validatingwebhookconfigurations"];

try {
  await step("a kind of one version, installed, with objects", async () => {
    await journey.begin();
    await journey.tsop(`install --kubeconfig ${kubeconfig}`);
    await journey.fill(client, Number(values.objects));
    return `${values.objects} objects`;
  });
  await step("a second version and all webhooks, installed", async () => {
    await journey.addWebhooks();
    await journey.tsop(`install --kubeconfig ${kubeconfig}`);
    return undefined;
  });
  const operator = newcomer.start(`npx tsop run --kubeconfig ${kubeconfig}`, journey.folder);
  await step("tsop run answers", async () => {
    const told = await operator.waitFor(/^webhooks .*\n/m);
    return /^webhooks (.*)$/m.exec(told)?.[1];
  });
  await step("defaults, refusals and both versions, with kubectl", async () => {
    await journey.look(kubectl);
    return undefined;
  });
  await step("tsop migrate while others write", async () => {
    const report = await journey.migrate(client, kubeconfig);
    const { objects, requests, failures, storedVersions } = report;
    const figures = `${objects} objects, ${requests} requests of writers in ${report.seconds.toFixed(1)} s`;
    if (failures.length > 0 || storedVersions.join() !== "v1") {
      throw new Error(
        `${figures}, ${failures.length} failed: ${failures[0] ?? ""}; storedVersions ${storedVersions.join()}`,
      );
    }
    return `${figures}, none failed; storedVersions v1`;
  });
  await step("tsop run ends, and nobody is asked any more", async () => {
    const { code, err } = await operator.stop();
    const left = await kubectl.output([...configurations, "-o", "name"]);
    if (code !== 0 || left !== "") throw new Error(`exit ${code}, left ${left}; ${err}`);
    return undefined;
  });
  await step("examples/gateway answers and reconciles", async () => {
    const example = join(newcomer.home, "gateway");
    copyExampleTo(example, "gateway");
    await newcomer.succeed("npm install", example);
    await newcomer.succeed(`npx tsop install --kubeconfig ${kubeconfig}`, example);
    const gateway = newcomer.start(`npx tsop run --kubeconfig ${kubeconfig}`, example);
    await gateway.waitFor(/^webhooks /m);
    await lookAtGateways(kubectl, example);
    const { code, err } = await gateway.stop();
    if (code !== 0) throw new Error(`exit ${code}; ${err}`);
    return undefined;
  });
} catch (error) {
  console.log(`FAIL | ${messageOf(error)}`);
  process.exitCode = 1;
} finally {
  newcomer.leave();
  kubectl.close();
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
}
