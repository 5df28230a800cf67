/**
 * `npm run life-cycle [-- --server KUBECONFIG]`: installs, deploys, upgrades and removes an
 * operator, then does the same as a Helm chart, with the built command line, real kubectl and real
 * helm; against a control plane of tsop, or the API server that the kubeconfig names. After each
 * step exactly the expected objects must exist. Prints a line for each step, and exits with 1 when
 * a check fails.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import { LifeCycle } from "../test/journeys/support/life-cycle.ts";
import { Newcomer } from "../test/journeys/support/newcomer.ts";
import { ReadyPods } from "../test/journeys/support/ready-pods.ts";
import { Kubectl } from "../test/support/kubectl.ts";

const { values } = parseArgs({ options: { server: { type: "string" } } });

const newcomer = await Newcomer.arrive();
const plane = values.server === undefined ? newcomer.start("npx tsop cluster") : undefined;
await plane?.waitFor(/kubeconfig/);
const kubeconfig = resolve(values.server ?? join(newcomer.home, ".tsop/kubeconfig"));
const kubectl = new Kubectl(readFileSync(kubeconfig, "utf8"));
const pods = await ReadyPods.whereNobodyRunsThem(kubectl);
const life = new LifeCycle(newcomer, kubectl, kubeconfig);

try {
  for (const [what, run] of Object.entries({ ...life.operator, ...life.more, ...life.chart })) {
    const beganMs = systemClock.monotonicMs();
    await run();
    console.log(`${what} | ${((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  console.log(`FAIL | ${messageOf(error)}`);
  process.exitCode = 1;
} finally {
  await pods.stop();
  kubectl.close();
  await plane?.stop();
  newcomer.leave();
}
