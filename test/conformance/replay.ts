/**
 * Replays the recorded answers of a real kube-apiserver against the embedded control plane.
 *
 * The player and the comparison are those of the recordings themselves (`conform.mjs` beside them); this file
 * only starts the right kind of control plane for each group and counts.
 */
import { X509Certificate } from "node:crypto";
import { parse } from "yaml";
import { type Clock, systemClock, type Timer } from "../../src/clock.ts";
import { CertificateAuthority } from "../../src/controlplane/auth/certificates.ts";
import { createKeys } from "../../src/controlplane/auth/keys.ts";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import {
  SHARED_RECORDINGS,
  loadPlayerOn,
  presentRecording,
  recordingNames,
  type Player,
  type Scenario,
  type ScenarioResult,
} from "./recorded.ts";
import { SkippedTime } from "../support/skipped-time.ts";

/** The scenarios of one recording. */
export interface RecordingResult {
  readonly file: string;
  readonly group: string;
  readonly scenarios: readonly ScenarioResult[];
}

/** What to replay, and how much of it at once. */
export interface ReplayOptions {
  /** Where the recordings lie; the shared ones when left out. */
  readonly folder?: string;
  /** Beginnings of recording names: `B`, `E-apply-`; all when left out. */
  readonly groups?: readonly string[];
  /** Scenario ids. */
  readonly only?: readonly string[];
  readonly jobs?: number;
  /** Lets the controllers come to rest before each read: for recordings without waits. */
  readonly atRest?: boolean;
  readonly onRecording?: (result: RecordingResult) => void;
}

function namesOf({ folder = SHARED_RECORDINGS, groups }: ReplayOptions): string[] {
  return recordingNames(folder).filter(
    (name) => !groups || groups.some((group) => name.startsWith(group)),
  );
}

async function eachOf<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>) {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

/** Far longer than any scenario waits, in the time of the replay. */
const SCENARIO_DEADLINE_MS = 600_000;

/** A scenario that hangs is a difference, not the end of the run. */
async function withDeadline(clock: Clock, scenario: Scenario, work: Promise<ScenarioResult>) {
  let timer: Timer | undefined;
  const late = new Promise<ScenarioResult>((resolve) => {
    const steps = scenario.steps.filter((step) => step.answer !== undefined).length;
    const hangs = { id: scenario.id, title: "", steps, same: 0, failure: "hangs", different: [] };
    timer = clock.after(SCENARIO_DEADLINE_MS, () => resolve(hangs));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}

/** The recording's own settings: groups A to M ran without controllers, N with all but a kubelet. */
async function replayRecording(name: string, options: ReplayOptions): Promise<RecordingResult> {
  const group = name.slice(0, 1);
  const scenarios = presentRecording(options.folder ?? SHARED_RECORDINGS, name).filter(
    ({ id }) => !options.only || options.only.includes(id),
  );
  if (scenarios.length === 0) return { file: name, group, scenarios: [] };
  const time = await SkippedTime.start();
  const player = await playerOn(time.clock);
  const controlPlane = await startControlPlane({
    controllers: group === "N" ? "no-kubelet" : "off",
    nodes: 0,
    clock: time.clock,
  });
  const server = new player.Server(connectionOf(controlPlane.kubeconfig));
  if (options.atRest && group === "N") {
    const open = server.open.bind(server);
    server.open = async (call) => {
      if (call.method === "GET") await controlPlane.settle();
      return open(call);
    };
  }
  try {
    const results = await eachOf(scenarios, options.jobs ?? 8, (scenario) =>
      withDeadline(time.clock, scenario, player.replay(server, scenario)),
    );
    return { file: name, group, scenarios: results };
  } finally {
    server.close();
    await controlPlane.stop();
    await time.stop();
  }
}

let webhookCertificate: Parameters<Player["useWebhookCertificate"]>[0] | undefined;

/** The player on a clock, with a certificate for the webhooks of its scenarios. */
async function playerOn(clock: Clock): Promise<Player> {
  const player = await loadPlayerOn(clock);
  if (!webhookCertificate) {
    const authority = new CertificateAuthority(systemClock, createKeys(systemClock).authority);
    const { certificate: cert, key } = authority.server(["127.0.0.1", "localhost"]);
    webhookCertificate = { ca: authority.certificate, cert, key };
  }
  player.useWebhookCertificate(webhookCertificate);
  return player;
}

/** Certificates and address out of a kubeconfig with one cluster and one user. */
export function connectionOf(kubeconfig: string): {
  server: string;
  ca: string;
  cert: string;
  key: string;
} {
  const config = parse(kubeconfig) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { "client-certificate-data": string; "client-key-data": string } }[];
  };
  const decode = (data: string): string => Buffer.from(data, "base64").toString();
  const cluster = config.clusters[0]?.cluster;
  const user = config.users[0]?.user;
  if (!cluster || !user) throw new Error("a kubeconfig with one cluster and one user is expected");
  const ca = decode(cluster["certificate-authority-data"]);
  new X509Certificate(ca);
  return {
    server: cluster.server,
    ca,
    cert: decode(user["client-certificate-data"]),
    key: decode(user["client-key-data"]),
  };
}

/** Replays recordings one after the other, the scenarios of each side by side. */
export async function replayRecordings(options: ReplayOptions = {}): Promise<RecordingResult[]> {
  const results: RecordingResult[] = [];
  for (const name of namesOf(options)) {
    const result = await replayRecording(name, options);
    if (result.scenarios.length === 0) continue;
    results.push(result);
    options.onRecording?.(result);
  }
  return results;
}

/** How many answers of a set of recordings are equal. */
export interface Count {
  readonly same: number;
  readonly steps: number;
}

/** The sum over scenarios. */
export function countOf(scenarios: readonly ScenarioResult[]): Count {
  return {
    same: scenarios.reduce((sum, { same }) => sum + same, 0),
    steps: scenarios.reduce((sum, { steps }) => sum + steps, 0),
  };
}

/** Counts by group letter, and `all`. */
export function countsByGroup(results: readonly RecordingResult[]): Record<string, Count> {
  const groups = [...new Set(results.map(({ group }) => group))].sort();
  return Object.fromEntries(
    [
      ...groups.map((group) => [group, results.filter((one) => one.group === group)] as const),
      ["all", results] as const,
    ].map(([name, some]) => [name, countOf(some.flatMap(({ scenarios }) => scenarios))]),
  );
}

/** In percent, one decimal, rounded down: 99.99 is not 100. */
export function percentOf({ same, steps }: Count): number {
  return steps === 0 ? 100 : Math.floor((1000 * same) / steps) / 10;
}
