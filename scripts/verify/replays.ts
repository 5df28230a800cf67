import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReplayReport } from "../../src/runtime/replay/replay.ts";
import { exampleNames } from "../../test/support/example.ts";
import type { Kubectl } from "../../test/support/kubectl.ts";
import type { LocalOperator } from "../examples/operators.ts";
import { playExample } from "../examples/play.ts";
import { withEmbedded } from "../examples/servers.ts";
import { defineVerification } from "../programs/program.ts";
import { ReplayCounts } from "./replays/counts.ts";
import { disturb } from "./replays/disturbances.ts";
import { RefusedWrites } from "./replays/refused-writes.ts";

const FEWEST = 100;
/** The examples that are left out, with the reasons. */
const WITHOUT: Readonly<Record<string, string>> = {
  gateway: "its operator runs within tsop run, which has the webhooks",
  "mini-cert": "an ACME server answers it and its keys are in a Secret: neither is recorded",
};

/** Replays all recordings of a folder. */
async function replayAll(
  operator: LocalOperator,
  folder: string,
  counts: ReplayCounts,
): Promise<void> {
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
async function record(
  name: string,
  kubeconfig: string,
  kubectl: Kubectl,
  counts: ReplayCounts,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-replays-"));
  const refused = new RefusedWrites(kubectl);
  const before = counts.reconciles.all;
  try {
    await playExample(name, kubeconfig, kubectl, {
      environment: { TSOP_RECORDINGS: `all:${folder}` },
      refusals: RefusedWrites.lines,
      beforeSamples: () => refused.begin(`${name}-system`),
      afterSamples: () => refused.end(),
      whenReady: (samples) => disturb(kubectl, samples),
      afterEnd: (operator) => replayAll(operator, folder, counts),
    });
    console.log(`${name}: ${counts.reconciles.all - before} reconciles`);
  } finally {
    await refused.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const program = defineVerification({
  about:
    "Records the reconciles of the examples, disturbances included, and replays each without a server; all writes must be equal, byte by byte.",
  compares: "replayed reconciles",
  needs: ["kubectl"],
  options: { only: { type: "list", about: "names of examples" } },
  run: async ({ values: { only }, tally }) => {
    const isChosen = (name: string): boolean =>
      only.length > 0 ? only.includes(name) : !(name in WITHOUT);
    const names = exampleNames().filter(isChosen);
    const counts = new ReplayCounts();
    await withEmbedded(async (kubeconfig, kubectl) => {
      for (const name of names) await record(name, kubeconfig, kubectl, counts);
    });
    for (const [name, why] of Object.entries(WITHOUT)) {
      if (!names.includes(name)) console.log(`${name}: not played, ${why}`);
    }
    for (const line of counts.lines()) console.log(line);
    tally.add(counts.reconciles.all, counts.reconciles.equal);
    if (counts.reconciles.all < FEWEST && only.length === 0) {
      throw new Error(`fewer than ${FEWEST} reconciles were recorded`);
    }
  },
});
