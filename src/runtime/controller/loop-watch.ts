/**
 * Notices that the event loop stands still, and which reconcile kept it: the last one that was seen
 * before, and the first one after. Nothing else runs in between, so one of them computed, or called
 * something that waits without giving way.
 */
import type { Clock, Timer } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import { omittedText, ReportLimit } from "../report-limit.ts";

const BEAT_MS = 250;
const BLOCKED_MS = 1000;
const NAMED = 5;

/** A reconcile that is watched. */
export interface WatchedReconcile {
  readonly controller: string;
  /** The key of the object: `d/web`. */
  readonly key: string;
  readonly id: string;
}

/** The use of the processor by this process, in milliseconds. */
export type ProcessorMs = () => number;

const usedByProcess: ProcessorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Parts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly running: () => Iterable<WatchedReconcile>;
  readonly processorMs?: ProcessorMs;
}

interface Block {
  readonly forMs: number;
  readonly suspects: readonly WatchedReconcile[];
}

export class LoopWatch {
  readonly #parts: Parts;
  readonly #limit: ReportLimit;
  readonly #processorMs: ProcessorMs;
  #beatMs: number;
  #processorAtBeatMs: number;
  #seenMs: number;
  #seen: WatchedReconcile | undefined;
  #block: Block | undefined;
  #timer: Timer | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#limit = new ReportLimit(parts.clock);
    this.#processorMs = parts.processorMs ?? usedByProcess;
    this.#beatMs = parts.clock.monotonicMs();
    this.#seenMs = this.#beatMs;
    this.#processorAtBeatMs = this.#processorMs();
  }

  start(): void {
    this.#beatMs = this.#parts.clock.monotonicMs();
    this.#processorAtBeatMs = this.#processorMs();
    this.#next();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Notes that code of a reconcile runs, or has just run. */
  see(scope: WatchedReconcile): void {
    const nowMs = this.#parts.clock.monotonicMs();
    // The loop had no turn since the beat, or it would have been counted.
    const forMs = nowMs - Math.max(this.#beatMs, this.#seenMs);
    if (forMs > BLOCKED_MS) {
      const isInTurn = this.#seenMs >= this.#beatMs;
      const before = isInTurn && this.#seen && this.#seen !== scope ? [this.#seen] : [];
      this.#block = { forMs, suspects: [...before, scope] };
    }
    this.#seen = scope;
    this.#seenMs = nowMs;
  }

  #next(): void {
    this.#timer = this.#parts.clock.after(
      BEAT_MS,
      () => {
        this.#beat();
        this.#next();
      },
      { unref: true },
    );
  }

  #beat(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const processorMs = this.#processorMs();
    const stoodMs = nowMs - this.#beatMs - BEAT_MS;
    const block = this.#block;
    if (stoodMs > BLOCKED_MS) {
      const isSeen = block !== undefined && block.forMs > stoodMs / 2;
      this.#tell(stoodMs, isSeen ? block.suspects : [], processorMs - this.#processorAtBeatMs);
    }
    this.#block = undefined;
    this.#beatMs = nowMs;
    this.#processorAtBeatMs = processorMs;
  }

  #tell(stoodMs: number, suspects: readonly WatchedReconcile[], processorMs: number): void {
    const omitted = this.#limit.admit();
    const seconds = Number((stoodMs / 1000).toFixed(1));
    const processorSeconds = Number((processorMs / 1000).toFixed(1));
    const running = [...this.#parts.running()];
    const shown = suspects.length > 0 ? suspects : running.slice(0, NAMED);
    const [only] = suspects;
    const about =
      suspects.length === 1 && only ? fieldsOf(only) : { reconciles: shown.map(fieldsOf) };
    const names = shown.map(({ controller, key }) => `${controller} of ${key}`);
    const who =
      suspects.length > 0
        ? `by the reconcile ${names.join(", or that of ")}`
        : names.length > 0
          ? `by code that is not known: ${running.length} reconciles were running (${names.join(", ")}${running.length > NAMED ? ", ..." : ""})`
          : "by code outside of reconciles";
    const why =
      processorMs < stoodMs / 10
        ? "The processor was not used in that time: the process was stopped, or waited in a synchronous call"
        : "Split long computations, or run them in a worker thread";
    const text = `The event loop stood still for ${seconds} s, ${who}. ${why}.`;
    const fields = { seconds, processorSeconds, ...about };
    if (omitted === undefined) this.#parts.log.debug(fields, text);
    else this.#parts.log.warn(fields, `${text}${omittedText(omitted)}`);
  }
}

function fieldsOf({ controller, key, id }: WatchedReconcile): Record<string, string> {
  return { controller, object: key, reconcileID: id };
}
