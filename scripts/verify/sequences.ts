import { execa } from "execa";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordingResult, replayRecordings } from "../../test/conformance/replay.ts";
import { Random } from "../../test/support/random.ts";
import { sharedPath } from "../../test/support/shared.ts";
import { defineVerification, SEED } from "../programs/program.ts";
import { report } from "./conformance/report.ts";
import { applyScenario } from "./sequences/apply.ts";
import { celScenario } from "./sequences/cel.ts";
import { conversionScenario } from "./sequences/conversions.ts";
import { definitionScenario } from "./sequences/definitions.ts";
import { deploymentScenario, replicaSetScenario } from "./sequences/controllers/deployments.ts";
import { cronJobScenario, jobScenario } from "./sequences/controllers/jobs.ts";
import { autoscalerScenario, mixedScenario } from "./sequences/controllers/mixed.ts";
import { namespaceScenario } from "./sequences/controllers/namespaces.ts";
import { endpointScenario, ownerScenario, quotaScenario } from "./sequences/controllers/owners.ts";
import { roleScenario } from "./sequences/controllers/roles.ts";
import { daemonSetScenario, statefulSetScenario } from "./sequences/controllers/sets.ts";
import { volumeScenario } from "./sequences/controllers/volumes.ts";
import { listScenario } from "./sequences/lists.ts";
import { policyScenario } from "./sequences/policies.ts";
import { rightsScenario } from "./sequences/rights.ts";
import type { Scenario } from "./sequences/scenario.ts";
import { schemaScenario } from "./sequences/schema.ts";
import { vary } from "./sequences/variation.ts";
import { webhookScenario } from "./sequences/webhooks.ts";

type Family = readonly [letter: string, make: (random: Random, id: string) => Scenario];

/** The scenarios of each family, and the first letter of their ids. */
const FAMILIES: Readonly<Record<string, Family>> = {
  apply: ["E", applyScenario],
  autoscalers: ["N", autoscalerScenario],
  cel: ["J", celScenario],
  conversions: ["K", conversionScenario],
  cronjobs: ["N", cronJobScenario],
  daemonsets: ["N", daemonSetScenario],
  definitions: ["J", definitionScenario],
  deployments: ["N", deploymentScenario],
  endpoints: ["N", endpointScenario],
  jobs: ["N", jobScenario],
  lists: ["H", listScenario],
  mixed: ["N", mixedScenario],
  namespaces: ["N", namespaceScenario],
  owners: ["N", ownerScenario],
  policies: ["K", policyScenario],
  quotas: ["N", quotaScenario],
  replicasets: ["N", replicaSetScenario],
  rights: ["L", rightsScenario],
  roles: ["N", roleScenario],
  schema: ["J", schemaScenario],
  statefulsets: ["N", statefulSetScenario],
  volumes: ["N", volumeScenario],
  webhooks: ["K", webhookScenario],
};

/** Variations of a recording's scenarios, any of them. */
function variationsOf(file: string): Family {
  const recorded = JSON.parse(readFileSync(file, "utf8")) as Scenario[];
  const [first] = recorded;
  return [first?.group.slice(0, 1) ?? "", (random, id) => vary(random, random.pick(recorded), id)];
}

export const program = defineVerification({
  about:
    "Makes random scenarios, records the answers of a real API server to them, and replays them.",
  compares: "answers",
  needs: ["the shared recordings", "a real API server"],
  words: { name: "FAMILY", about: "kind of scenarios", choices: Object.keys(FAMILIES), most: 1 },
  options: {
    count: { type: "number", default: 20, about: "number of scenarios" },
    seed: SEED,
    vary: { type: "text", about: "recording whose scenarios are varied, instead of a FAMILY" },
    kubeconfig: { type: "text", required: true, about: "of the real API server" },
    keep: { type: "text", about: "folder that keeps the scenarios and answers" },
  },
  run: async ({ values: { count, seed, vary: varied, kubeconfig, keep }, words, tally }) => {
    const family = varied === undefined ? FAMILIES[words[0] ?? ""] : variationsOf(varied);
    if (!family) throw new Error("Name a FAMILY, or give --vary a recording.");
    const [letter, make] = family;
    /** Each scenario has a random stream of its own; neighbors must have nothing in common. */
    const randomOf = (index: number): Random =>
      new Random(Math.imul(seed * 100_000 + index + 1, 0x9e3779b1));
    const scenarios = Array.from({ length: count }, (_, index) =>
      JSON.stringify(make(randomOf(index), `${letter}${seed}x${index}`)),
    );
    const temporary = mkdtempSync(join(tmpdir(), "tsop-sequences-"));
    const folder = keep ?? temporary;
    try {
      const [questions, answers] = [join(folder, "scenarios"), join(folder, "answers")];
      for (const path of [questions, answers]) mkdirSync(path, { recursive: true });
      const file = join(questions, `${letter}-${words[0] ?? "variations"}.json`);
      writeFileSync(file, `[\n${scenarios.join(",\n")}\n]\n`);
      const player = sharedPath("conformance", "conform.mjs");
      const args = ["record", "--kubeconfig", kubeconfig, "--out", answers, file];
      await execa(process.execPath, [player, ...args], { stdio: "inherit" });
      const onRecording = (result: RecordingResult): void => {
        report(result, tally);
      };
      await replayRecordings({ folder: answers, onRecording });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  },
});
