/**
 * Runs one recorded reconcile again, in an operator without a server: its code is answered from the
 * recording.
 */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { messageOf, TsopError } from "../../errors.ts";
import { waitText } from "../../kube/values/duration.ts";
import type { ObservedReconcile, ReconcileObserver } from "../controller/reconcile-observer.ts";
import type { ReplayStart } from "../rest/reconcile-tap.ts";
import { ConnectionError, type Transport } from "../transport/transport.ts";
import { readRecording, type RecordedOutcome, type Recording } from "./recording.ts";
import { ReplayTap, type ReplayedWrite } from "./replay-tap.ts";
import { present } from "../../present.ts";

/** The result of a replay. */
export interface ReplayReport {
  readonly controller: string;
  /** The key: `default/web`. */
  readonly key: string;
  readonly recorded: RecordedOutcome;
  readonly replayed: RecordedOutcome;
  /** The writes in the order of the replay; recorded ones that it does not send come last. */
  readonly writes: readonly ReplayedWrite[];
  /** The differences, in words; empty when outcome and writes are the same, byte by byte. */
  readonly differences: readonly string[];
  /**
   * The questions that the recording does not answer, in words: among the differences, too. Where
   * there are some, nobody knows how the reconcile would end now.
   */
  readonly unanswered: readonly string[];
  /** The gaps of the recording, in words. */
  readonly notRecorded: readonly string[];
}

/** A controller that can run one reconcile alone. */
export interface Replayable {
  readonly name?: string;
  replay?(start: ReplayStart): Promise<void>;
}

/** The variable by which `tsop replay` starts a replay: the path of the recording. */
export const REPLAY_VARIABLE = "TSOP_REPLAY";
/** The variable with the path of the report. */
export const REPLAY_REPORT_VARIABLE = "TSOP_REPLAY_REPORT";

export class Replay implements ReconcileObserver {
  readonly wantsOrigins = false;
  readonly recording: Recording;
  readonly #tap: ReplayTap;
  readonly #reportFile: string | undefined;
  readonly #controllers: Replayable[] = [];
  #outcome: RecordedOutcome | undefined;
  #report: ReplayReport | undefined;

  /** @param reportFile - where the report goes, too */
  constructor(recording: Recording, reportFile?: string) {
    this.recording = recording;
    this.#tap = new ReplayTap(recording);
    this.#reportFile = reportFile;
  }

  /** The report, after the run. */
  get report(): ReplayReport | undefined {
    return this.#report;
  }

  add(controller: Replayable): void {
    this.#controllers.push(controller);
  }

  reconcile(): ObservedReconcile {
    return {
      tap: this.#tap,
      run: (work) => work(),
      succeeded: (requeueAfterMs) => {
        this.#outcome = { is: "success", ...present({ requeueAfterMs }) };
      },
      failed: (error) => {
        const stack = error instanceof Error ? error.stack : undefined;
        this.#outcome = { is: "error", message: messageOf(error), ...present({ stack }) };
      },
      end: () => undefined,
    };
  }

  /** Runs the replay. @throws TsopError `replay-no-controller` */
  async run(): Promise<void> {
    const { controller, key, causes, failures, atMs } = this.recording;
    const controllers = this.#controllers.filter((one) => one.replay !== undefined);
    const found = controllers.find(({ name }) => name === controller);
    if (!found?.replay) {
      const names = controllers.flatMap(({ name }) => name ?? []);
      throw new TsopError(
        "replay-no-controller",
        `The recorded reconcile belongs to the controller ${controller}, but this program has only ${names.join(", ") || "none"}.`,
        "Replay it with the operator that it was recorded from.",
      );
    }
    await found.replay({ key, causes, failures, nowMs: atMs });
    this.#report = this.#reportNow();
    if (this.#reportFile !== undefined) {
      writeFileSync(this.#reportFile, JSON.stringify(this.#report), { mode: 0o600 });
    }
  }

  #reportNow(): ReplayReport {
    const { controller, key, outcome, notRecorded } = this.recording;
    const replayed = this.#outcome ?? { is: "error", message: "the reconcile did not end" };
    const { writes, unknown: unanswered } = this.#tap;
    const ended = outcomeText(replayed);
    const before = outcomeText(outcome);
    const differences = [
      ...unanswered,
      ...writes.filter(({ isSame }) => !isSame).map(differenceText),
      ...(ended === before ? [] : [endText(ended, before, unanswered.length > 0)]),
    ];
    const texts = { differences, unanswered, notRecorded };
    return { controller, key, recorded: outcome, replayed, writes, ...texts };
  }
}

function differenceText({ request, recorded, replayed }: ReplayedWrite): string {
  if (recorded === undefined) return `${request} is sent, but was not sent in the recording`;
  if (replayed === undefined) return `${request} is not sent, but was sent in the recording`;
  return `${request} is sent with another body`;
}

const endText = (ended: string, before: string, isUnknown: boolean): string =>
  isUnknown
    ? `how it would end is unknown, because the recording lacks an answer; recorded: ${before}`
    : `it ended with ${ended}; recorded: ${before}`;

function outcomeText(outcome: RecordedOutcome): string {
  if (outcome.is === "error") return `the error: ${outcome.message}`;
  const { requeueAfterMs } = outcome;
  return requeueAfterMs === undefined
    ? "success"
    : `success, again after ${waitText(requeueAfterMs)}`;
}

/** The replay that the environment asks for. @throws TsopError `bad-recording` */
export function replayOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Replay | undefined {
  const path = env[REPLAY_VARIABLE];
  return path === undefined
    ? undefined
    : new Replay(readRecording(path), env[REPLAY_REPORT_VARIABLE]);
}

const SERVER = "https://recorded.invalid";

/**
 * The transport without a server: watched kinds are empty, because what a reconcile reads of them
 * is in the recording.
 */
export const replayTransport: Transport = {
  server: SERVER,
  request: ({ method, path, signal }) => {
    if (method !== "GET") {
      return Promise.reject(
        new ConnectionError("refused", SERVER, "a replay does not have a server"),
      );
    }
    const isWatch = new URL(path, SERVER).searchParams.get("watch") === "true";
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
    };
    signal?.addEventListener("abort", end);
    return Promise.resolve({
      status: 200,
      headers: { "content-type": "application/json" },
      body: isWatch ? nothingUntil(ended.signal) : emptyList(),
      cancel: end,
    });
  },
  close: () => undefined,
};

async function* emptyList(): AsyncGenerator<Uint8Array> {
  const metadata = { resourceVersion: "1" };
  yield await Promise.resolve(
    Buffer.from(JSON.stringify({ kind: "List", apiVersion: "v1", metadata, items: [] })),
  );
}

async function* nothingUntil(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!signal.aborted) await once(signal, "abort");
  yield* [];
}
