/** Records reconciles, and saves each object's last failure, in a bounded number of files. */
import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { parseKey } from "../controller/outcomes.ts";
import type {
  ObservedReconcile,
  ObservedStart,
  ReconcileObserver,
} from "../controller/reconcile-observer.ts";
import { withoutSecrets } from "./hide-secrets.ts";
import { RECORDING_FORMAT, recordingText, type RecordedOutcome } from "./recording.ts";
import { RecordingTap } from "./recording-tap.ts";
import { present } from "../../present.ts";

/** The options of recordings: which reconciles are saved, and where. */
export interface RecordingOptions {
  /** A folder that only the operator's user may read; created when it does not exist. */
  readonly folder: string;
  /** The reconciles to save; failed ones when absent. */
  readonly reconciles?: "failed" | "all";
  /** The number of files to keep, the newest ones; 20 when absent. */
  readonly most?: number;
}

/** The variable by which `tsop dev` asks for recordings: `failed:<folder>`, or `all:<folder>`. */
export const RECORDINGS_VARIABLE = "TSOP_RECORDINGS";

/** The recordings that the environment asks for. @throws TsopError `bad-flag` */
export function recordingsOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): RecordingOptions | undefined {
  const text = env[RECORDINGS_VARIABLE];
  if (text === undefined) return undefined;
  const [, reconciles, folder] = /^(failed|all):(.+)$/.exec(text) ?? [];
  if (folder === undefined) {
    throw new TsopError(
      "bad-flag",
      `${RECORDINGS_VARIABLE} must be "failed:" or "all:" followed by a folder.`,
      "Unset it: `tsop dev` sets it for the operator that it runs.",
    );
  }
  return reconciles === "all"
    ? { folder, reconciles: "all", most: Infinity }
    : { folder, reconciles: "failed" };
}

const SUFFIX = ".recording.json";
const MOST_FILES = 20;
const MOST_CHARACTERS = 8 * 1024 * 1024;

export class Recorder implements ReconcileObserver {
  readonly wantsOrigins = false;
  readonly #options: RecordingOptions;
  readonly #operator: string;
  readonly #log: Logger;

  constructor(options: RecordingOptions, operator: string, log: Logger) {
    this.#options = options;
    this.#operator = operator;
    this.#log = log;
  }

  reconcile(start: ObservedStart): ObservedReconcile {
    const tap = new RecordingTap();
    let outcome: RecordedOutcome = { is: "success" };
    return {
      tap,
      run: (work) => work(),
      succeeded: (requeueAfterMs) => {
        outcome = { is: "success", ...present({ requeueAfterMs }) };
      },
      failed: (error) => {
        const stack = error instanceof Error ? error.stack : undefined;
        outcome = { is: "error", message: messageOf(error), ...present({ stack }) };
      },
      end: () => {
        const isWanted = outcome.is === "error" || this.#options.reconciles === "all";
        if (isWanted) this.#save(start, tap, outcome);
      },
    };
  }

  #save(start: ObservedStart, tap: RecordingTap, outcome: RecordedOutcome): void {
    const { controller, key, id, causes, failures, nowMs } = start;
    try {
      const text = recordingText(
        withoutSecrets({
          format: RECORDING_FORMAT,
          operator: this.#operator,
          controller,
          key,
          id,
          atMs: nowMs,
          causes,
          failures,
          outcome,
          ...tap.asked,
        }),
      );
      if (text.length > MOST_CHARACTERS) {
        const megabytes = (text.length / 1024 / 1024).toFixed(1);
        const why = `the recording of a reconcile was not saved because it has ${megabytes} MB, more than 8`;
        this.#log.warn({ controller, ...parseKey(key) }, why);
        return;
      }
      // The retries of one object must not push out the recordings of other objects.
      const name =
        this.#options.reconciles === "all" ? `${controller}-${key}-${id}` : `${controller}-${key}`;
      this.#write(`${name.replace(/[^\w.-]/g, "_")}${SUFFIX}`, text);
    } catch (error) {
      const why = `the recording of a reconcile could not be saved: ${messageOf(error)}`;
      this.#log.warn({ controller, ...parseKey(key), err: error }, why);
    }
  }

  #write(name: string, text: string): void {
    const { folder, most = MOST_FILES } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `${randomUUID()}.tmp`);
    try {
      writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
      renameSync(temporary, join(folder, name));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    const files = readdirSync(folder)
      .filter((file) => file.endsWith(SUFFIX))
      .map((file) => ({ path: join(folder, file), atMs: statSync(join(folder, file)).mtimeMs }))
      .sort((one, other) => other.atMs - one.atMs);
    for (const { path } of files.slice(most)) if (isRecording(path)) rmSync(path, { force: true });
  }
}

/** Somebody may have created another file with such a name. */
const isRecording = (path: string): boolean =>
  readFileSync(path, "utf8").startsWith(`{"format":"${RECORDING_FORMAT}"`);
