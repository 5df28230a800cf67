/**
 * Replays the recorded answers of a real kube-apiserver against the embedded control plane.
 *
 * The player and the comparison are those of the recordings themselves (`conform.mjs` beside them); this file
 * only starts the right kind of control plane for each group and counts.
 */
import { X509Certificate } from "node:crypto";
import { parse } from "yaml";
import { startControlPlane } from "../../src/controlplane/control-plane.ts";
import {
  SHARED_RECORDINGS,
  loadPlayer,
  presentRecording,
  recordingNames,
  type Player,
  type Scenario,
  type ScenarioResult,
} from "./recorded.ts";

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

/** Far longer than any scenario takes on a real server. */
const SCENARIO_DEADLINE_MS = 45_000;

/** A scenario that hangs is a difference, not the end of the run. */
async function withDeadline(scenario: Scenario, work: Promise<ScenarioResult>) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ScenarioResult>((resolve) => {
    timer = setTimeout(() => {
      const steps = scenario.steps.filter((step) => step.answer !== undefined).length;
      resolve({ id: scenario.id, title: "", steps, same: 0, failure: "hangs", different: [] });
    }, SCENARIO_DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The recording's own settings: groups A to M ran without controllers, N with all but a kubelet. */
async function replayRecording(player: Player, name: string, options: ReplayOptions) {
  const group = name.slice(0, 1);
  const scenarios = presentRecording(options.folder ?? SHARED_RECORDINGS, name).filter(
    ({ id }) => !options.only || options.only.includes(id),
  );
  const controlPlane = await startControlPlane({
    controllers: group === "N" ? "no-kubelet" : "off",
    nodes: 0,
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
      withDeadline(scenario, player.replay(server, scenario)),
    );
    return { file: name, group, scenarios: results };
  } finally {
    server.close();
    await controlPlane.stop();
  }
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

/**
 * Replays recordings one after the other, the scenarios of each side by side. Those of controllers mostly wait
 * for something, so all of them run beside the others.
 */
export async function replayRecordings(options: ReplayOptions = {}): Promise<RecordingResult[]> {
  const player = await loadPlayer();
  const results: RecordingResult[] = [];
  const replay = async (name: string): Promise<void> => {
    const result = await replayRecording(player, name, options);
    if (result.scenarios.length === 0) return;
    results.push(result);
    options.onRecording?.(result);
  };
  const names = namesOf(options);
  const waiting = names.filter((name) => name.startsWith("N")).map(replay);
  for (const name of names) if (!name.startsWith("N")) await replay(name);
  await Promise.all(waiting);
  return results.sort((one, other) => one.file.localeCompare(other.file));
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
