/**
 * `npm run examples [-- --real KUBECONFIG] [-- --only NAME]`: every example is deployed, its
 * operator runs here with the rights of its roles alone, reconciles its samples until they are
 * ready, and everything is removed again; on a control plane of tsop, and on the API server of the
 * kubeconfig. After the samples are deleted, and after `undeploy`, every object of every kind is
 * counted. Prints a line for each example, and exits with 1 when a check fails.
 *
 * `npm run examples -- --quickstart` runs `npm run quickstart -- --example NAME` for each.
 */
import { execa } from "execa";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "../src/clock.ts";
import { startControlPlane } from "../src/controlplane/control-plane.ts";
import { messageOf } from "../src/errors.ts";
import { ReadyPods } from "../test/journeys/support/ready-pods.ts";
import { exampleNames } from "../test/support/example.ts";
import { Kubectl } from "../test/support/kubectl.ts";
import { playExample } from "./examples/play.ts";

const { values } = parseArgs({
  options: {
    real: { type: "string" },
    only: { type: "string", multiple: true },
    quickstart: { type: "boolean", default: false },
  },
});
const names = exampleNames().filter((name) => values.only?.includes(name) ?? true);
let failures = 0;

/** Runs one check, and prints its result. */
async function tell(what: string, run: () => Promise<unknown>): Promise<void> {
  const beganMs = systemClock.monotonicMs();
  let result = "well";
  try {
    await run();
  } catch (error) {
    result = "FAIL";
    failures++;
    console.log(messageOf(error).replaceAll(/^/gm, "  "));
  }
  const seconds = ((systemClock.monotonicMs() - beganMs) / 1000).toFixed(1);
  console.log(`${result} | ${what} | ${seconds} s`);
}

/** Plays all examples on one server, one after the other. */
async function playOn(server: string, kubeconfig: string): Promise<void> {
  const kubectl = new Kubectl(kubeconfig);
  const pods = await ReadyPods.whereNobodyRunsThem(kubectl);
  try {
    for (const name of names) {
      await tell(`${name} on ${server}`, () => playExample(name, kubeconfig, kubectl));
    }
  } finally {
    await pods.stop();
    kubectl.close();
  }
}

if (values.quickstart) {
  for (const name of names) {
    await tell(`quickstart ${name}`, () =>
      execa(process.execPath, ["scripts/quickstart.mjs", "--example", name], { all: true }),
    );
  }
} else {
  const cluster = await startControlPlane();
  try {
    await playOn("the embedded control plane", cluster.kubeconfig);
  } finally {
    await cluster.stop();
  }
  if (values.real !== undefined) await playOn(values.real, readFileSync(values.real, "utf8"));
}
if (failures > 0) process.exitCode = 1;
