/** Recordings as files: scenarios with the answers of a real kube-apiserver, and the player that plays them. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../src/clock.ts";
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
  useWebhookCertificate(pem: { ca: string; key: string; cert: string }): void;
}

/** The recordings that others made, of v1.36.3. */
export const SHARED_RECORDINGS = sharedPath("conformance", "recordings");

/** Those of their scenarios that a later version answers otherwise, recorded again. */
const CHANGED = new URL("changed", import.meta.url).pathname;

export async function loadPlayer(): Promise<Player> {
  return (await import(sharedPath("conformance", "conform.mjs"))) as Player;
}

/** The names of time in a module's own scope, on a clock. */
interface PlayerTime {
  setTimeout(run: () => void, delayMs: number): void;
  readonly Date: { now(): number };
}

const TIMES = Symbol.for("tsop.test.player-times");
let loaded = 0;

/** The player with its waits on a clock: the same file, which takes time from the globals that its first line replaces. */
export async function loadPlayerOn(clock: Clock): Promise<Player> {
  const times = ((globalThis as { [TIMES]?: Map<number, PlayerTime> })[TIMES] ??= new Map());
  const number = loaded++;
  times.set(number, {
    setTimeout: (run, delayMs) => void clock.after(delayMs, run),
    Date: { now: () => clock.now() },
  });
  const names = `const { setTimeout, Date } = globalThis[Symbol.for("tsop.test.player-times")].get(${number});`;
  // A module of its own for each clock. The first line of the file is for the shell.
  const source = readFileSync(sharedPath("conformance", "conform.mjs"), "utf8")
    .replace(/^#!.*/, "")
    .replace(/^if \(process\.argv\[1\] && .*/m, "");
  const code = Buffer.from(`${names}${source}`).toString("base64");
  return (await import(/* @vite-ignore */ `data:text/javascript;base64,${code}`)) as Player;
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
