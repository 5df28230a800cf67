/**
 * Writes generated scenarios, to record the answers of a real API server and compare the control
 * plane with them.
 *
 *   node scripts/run-ts.mjs scripts/sequences.ts FAMILY [--seed N] [--count N] --out FILE
 *   node scripts/run-ts.mjs scripts/sequences.ts RECORDING.json [--seed N] [--count N] --out FILE
 *
 * FAMILY: one of `FAMILIES`. Of a recording, some scenarios are varied. The same seed gives the
 * same scenarios. The recorder of the shared recordings (`conform.mjs record`) plays them to a real
 * server; `replayRecordings({ folder })` to ours.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Random } from "../test/support/random.ts";
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

/** The scenarios of each family, and the first letter of their ids. */
const FAMILIES: Readonly<
  Record<string, readonly [string, (random: Random, id: string) => Scenario]>
> = {
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
function variationsOf(file: string): readonly [string, (random: Random, id: string) => Scenario] {
  const recorded = JSON.parse(readFileSync(file, "utf8")) as Scenario[];
  const [first] = recorded;
  return [first?.group.slice(0, 1) ?? "", (random, id) => vary(random, random.pick(recorded), id)];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20" },
    out: { type: "string" },
  },
});
const [what = ""] = positionals;
const family = what.endsWith(".json") ? variationsOf(what) : FAMILIES[what];
if (!family || values.out === undefined) {
  throw new Error(
    `usage: sequences.ts ${Object.keys(FAMILIES).join("|")}|RECORDING.json [--seed N] [--count N] --out FILE`,
  );
}
const [letter, make] = family;
const seed = Number(values.seed);
/** Each scenario has a random stream of its own; neighbours must have nothing in common. */
const randomOf = (index: number): Random =>
  new Random(Math.imul(seed * 100_000 + index + 1, 0x9e3779b1));
const scenarios = Array.from({ length: Number(values.count) }, (_, index) =>
  JSON.stringify(make(randomOf(index), `${letter}${seed}x${index}`)),
);
writeFileSync(values.out, `[\n${scenarios.join(",\n")}\n]\n`);
