/** Recordings as files: scenarios with the answers of a real kube-apiserver, and the player that plays them. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sharedPath } from "../support/shared.ts";

/** One answer, as the player recorded it. */
export interface Answer {
  readonly headers?: Readonly<Record<string, string>>;
  readonly together?: readonly Answer[];
}

/** One scenario: requests, each with its answer. */
export interface Scenario {
  readonly id: string;
  readonly steps: readonly { readonly answer?: Answer }[];
}

/** A place where two answers differ. */
export interface DifferentPlace {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** One step whose answer differs, with the differing places. */
interface Difference {
  readonly step: number;
  readonly request: string;
  readonly found: readonly DifferentPlace[];
}

/** What became of one scenario. */
export interface ScenarioResult {
  readonly id: string;
  readonly title: string;
  readonly steps: number;
  readonly same: number;
  readonly failure?: string;
  readonly different: readonly Difference[];
}

interface Call {
  readonly method: string;
}

/** `conform.mjs`, which lies beside the shared recordings. */
export interface Player {
  Server: new (options: object) => { open(call: Call): Promise<unknown>; close(): void };
  readonly differences: (
    expected: unknown,
    actual: unknown,
    where: string,
    found: DifferentPlace[],
    limit: number,
  ) => DifferentPlace[];
  replay(server: unknown, scenario: Scenario): Promise<ScenarioResult>;
  useWebhookCertificate(pem: { key: string; cert: string }): void;
}

/** The recordings that others made, of v1.36.3. */
export const SHARED_RECORDINGS = sharedPath("conformance", "recordings");

/** Those of their scenarios that a later version answers otherwise, recorded again. */
const CHANGED = new URL("changed", import.meta.url).pathname;

export async function loadPlayer(): Promise<Player> {
  return (await import(sharedPath("conformance", "conform.mjs"))) as Player;
}

/** The names of the recordings in a folder. */
export function recordingNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort();
}

/** The scenarios of a recording as they were recorded. */
export function readRecording(folder: string, name: string): readonly Scenario[] {
  return JSON.parse(readFileSync(join(folder, name), "utf8")) as Scenario[];
}

/** The scenarios of a recording as the version that the control plane behaves as answers them. */
export function presentRecording(folder: string, name: string): readonly Scenario[] {
  const scenarios = readRecording(folder, name);
  if (folder !== SHARED_RECORDINGS || !existsSync(join(CHANGED, name))) return scenarios;
  const changed = new Map(readRecording(CHANGED, name).map((one) => [one.id, one]));
  return scenarios.map((scenario) => changed.get(scenario.id) ?? scenario);
}
