/**
 * `npm run replays [-- --only NAME]`: the operators of the examples reconcile their samples on a
 * control plane of tsop while every reconcile is recorded: of new objects, of labels that change,
 * of what somebody deleted, while the API server refuses writes; then each recorded reconcile is
 * replayed by the same program without a server. Every write must be the same, byte by byte, and
 * the outcome as well. Prints the numbers of equal writes, by kind, and exits with 1 when one
 * differs, or when fewer than 100 were recorded.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startControlPlane } from "../src/controlplane/control-plane.ts";
import { messageOf } from "../src/errors.ts";
import { ReadyPods } from "../test/journeys/support/ready-pods.ts";
import { exampleNames } from "../test/support/example.ts";
import { Kubectl } from "../test/support/kubectl.ts";
import { playExample } from "./examples/play.ts";
import { ReplayCounts } from "./replays/counts.ts";
import { disturb } from "./replays/disturbances.ts";
import { RefusedWrites } from "./replays/refused-writes.ts";
import type { ReplayReport } from "../src/runtime/replay/replay.ts";
import type { LocalOperator } from "./examples/operators.ts";

const FEWEST = 100;
/** The examples that are left out, with the reasons. */
const WITHOUT: Readonly<Record<string, string>> = {
  gateway: "its operator runs within tsop run, which has the webhooks",
  "mini-cert": "an ACME server answers it and its keys are in a Secret: neither is recorded",
};

const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const names = exampleNames().filter((name) => values.only?.includes(name) ?? !(name in WITHOUT));
const counts = new ReplayCounts();

/** Replays all recordings of a folder. */
async function replayAll(operator: LocalOperator, folder: string): Promise<void> {
  const report = join(folder, "report");
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".recording.json"))) {
    rmSync(report, { force: true });
    const recording = join(folder, name);
    await operator.runOnce({ TSOP_REPLAY: recording, TSOP_REPLAY_REPORT: report });
    const told = JSON.parse(readFileSync(report, "utf8")) as ReplayReport;
    for (const line of counts.add(told)) console.log(`  ${name}: ${line}`);
  }
}

/** Plays an example, records its reconciles, and replays them. */
async function record(name: string, kubeconfig: string, kubectl: Kubectl): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-replays-"));
  const refused = new RefusedWrites(kubectl);
  const before = counts.reconciles;
  try {
    await playExample(name, kubeconfig, kubectl, {
      environment: { TSOP_RECORDINGS: `all:${folder}` },
      refusals: RefusedWrites.lines,
      beforeSamples: () => refused.begin(`${name}-system`),
      afterSamples: () => refused.end(),
      whenReady: (samples) => disturb(kubectl, samples),
      afterEnd: (operator) => replayAll(operator, folder),
    });
    console.log(`${name}: ${counts.reconciles - before} reconciles`);
  } finally {
    await refused.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

const cluster = await startControlPlane();
const kubectl = new Kubectl(cluster.kubeconfig);
const pods = await ReadyPods.whereNobodyRunsThem(kubectl);
try {
  for (const name of names) await record(name, cluster.kubeconfig, kubectl);
  for (const [name, why] of Object.entries(WITHOUT)) {
    if (!names.includes(name)) console.log(`${name}: not played, ${why}`);
  }
  for (const line of counts.lines()) console.log(line);
  if (!counts.areEqual) process.exitCode = 1;
  if (counts.reconciles < FEWEST && values.only === undefined) {
    throw new Error(`fewer than ${FEWEST} reconciles were recorded`);
  }
} catch (error) {
  console.log(`FAIL: ${messageOf(error)}`);
  process.exitCode = 1;
} finally {
  await pods.stop();
  kubectl.close();
  await cluster.stop();
}
