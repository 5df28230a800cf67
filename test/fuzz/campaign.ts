/**
 * Tries many random inputs on one part of tsop, and reports what went wrong: an attempt that failed, an error that
 * escaped, an input that took too long, memory that did not come back.
 *
 * Each input comes from the seed and its own number, so one of a million can be tried again alone.
 */
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Random } from "../support/random.ts";

/** A family of random inputs, and the part of tsop that they are tried on. One file each, listed in `kinds.ts`. */
export interface FuzzKind<Input = unknown> {
  /** One line for the command's help. */
  readonly about: string;
  /** How many attempts may be under way at the same time; one when absent. */
  readonly atOnce?: number;
  /** Makes an input. */
  next(random: Random): Input;
  /** The input as text, for the report. */
  show(input: Input): string;
  /** Starts what the inputs are tried on: once for a whole run. */
  start(): Promise<FuzzSubject<Input>>;
}

/** What the inputs are tried on. */
interface FuzzSubject<Input> {
  /**
   * Tries one input.
   *
   * @returns what became of it in a few words; they are counted
   * @throws when the outcome is wrong
   */
  attempt(input: Input): Promise<string>;
  stop(): Promise<void>;
}

/** What to run. */
export interface CampaignOptions {
  readonly count: number;
  readonly seed: number;
  /** Tries the input with this number alone. */
  readonly only?: number;
  /** An input may take this long; as long as it likes when absent: that is a question to a machine that is known. */
  readonly slowMs?: number;
  /** Called after every tenth of the inputs. Memory is measured for it alone: the collections take longer than inputs. */
  readonly onProgress?: (done: number, memory: Memory) => void;
}

/** Bytes in use after a garbage collection. */
export interface Memory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

/** What a campaign found. */
export interface CampaignReport {
  /** One line for each failure, with the number of its input. */
  readonly wrong: readonly string[];
  /** How often which outcome came. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly slowest: string;
  /** After a tenth of the inputs, and at the end; absent when nobody heard of progress. */
  readonly warm?: Memory;
  readonly end?: Memory;
  readonly seconds: number;
}

const TENTHS = 10;
/** An input is slow when it is slow each time. */
const TRIES = 3;
const MAX_WRONG = 100;
const SHOWN_CHARACTERS = 600;

/** Runs a campaign in this process. */
export async function runCampaign(
  kind: FuzzKind,
  { count, seed, only, slowMs, onProgress }: CampaignOptions,
): Promise<CampaignReport> {
  const run = new Run(kind, await kind.start(), seed);
  const escaped = (error: unknown): void => {
    run.fail(`escaped: ${describe(error)}`);
  };
  process.on("uncaughtException", escaped);
  process.on("unhandledRejection", escaped);
  const began = performance.now();
  try {
    let warm: Memory | undefined;
    if (only === undefined) {
      for (let tenth = 1; tenth <= TENTHS; tenth++) {
        const done = Math.ceil((count * tenth) / TENTHS);
        await run.upTo(done);
        if (!onProgress) continue;
        const memory = await memoryInUse();
        warm ??= memory;
        onProgress(done, memory);
      }
      if (slowMs !== undefined) await run.trySlowOnesAgain(slowMs);
    } else await run.tryOne(only);
    const { wrong, outcomes, slowestMs, slowest } = run;
    const seconds = (performance.now() - began) / 1000;
    const found = { wrong, outcomes, slowestMs, slowest, seconds };
    if (!onProgress) return found;
    const end = await memoryInUse();
    return { ...found, warm: warm ?? end, end };
  } finally {
    process.off("uncaughtException", escaped);
    process.off("unhandledRejection", escaped);
    await run.stop();
  }
}

class Run {
  readonly wrong: string[] = [];
  readonly outcomes: Record<string, number> = {};
  slowestMs = 0;
  slowest = "";
  readonly #kind: FuzzKind;
  readonly #subject: FuzzSubject<unknown>;
  readonly #seed: number;
  readonly #slow = new Map<number, number>();
  #next = 0;

  constructor(kind: FuzzKind, subject: FuzzSubject<unknown>, seed: number) {
    this.#kind = kind;
    this.#subject = subject;
    this.#seed = seed;
  }

  fail(text: string): void {
    if (this.wrong.length < MAX_WRONG) this.wrong.push(text);
  }

  /** Tries all inputs below `end` that were not tried yet. */
  async upTo(end: number): Promise<void> {
    const work = async (): Promise<void> => {
      while (this.#next < end) {
        const number = this.#next++;
        const ms = await this.tryOne(number);
        if (ms > this.slowestMs) this.#noteSlow(number, ms);
      }
    };
    await Promise.all(Array.from({ length: this.#kind.atOnce ?? 1 }, work));
  }

  /** Tries one input; returns the milliseconds that it took. */
  async tryOne(number: number): Promise<number> {
    const input = this.#inputOf(number);
    const began = performance.now();
    try {
      const outcome = await this.#subject.attempt(input);
      this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      this.fail(`input ${number}: ${describe(error)}\n  ${this.#shown(input)}`);
    }
    return performance.now() - began;
  }

  /** The time of others is not an input's own: it has to be slow alone, too. */
  async trySlowOnesAgain(slowMs: number): Promise<void> {
    this.slowestMs = 0;
    const slowestFirst = [...this.#slow].sort(([, left], [, right]) => right - left);
    for (const [number, firstMs] of slowestFirst) {
      let ms = firstMs;
      for (let count = 0; count < TRIES; count++) ms = Math.min(ms, await this.tryOne(number));
      const shown = `input ${number}: ${this.#shown(this.#inputOf(number))}`;
      if (ms > this.slowestMs) [this.slowestMs, this.slowest] = [ms, shown];
      if (ms > slowMs) this.fail(`${Math.round(ms)} ms: ${shown}`);
    }
  }

  async stop(): Promise<void> {
    await this.#subject.stop();
  }

  #noteSlow(number: number, ms: number): void {
    this.slowestMs = ms;
    this.#slow.set(number, ms);
  }

  #inputOf(number: number): unknown {
    // The golden ratio spreads numbers that follow each other over all states of the generator.
    return this.#kind.next(new Random(Math.imul(number + 1, 0x9e3779b1) ^ this.#seed));
  }

  #shown(input: unknown): string {
    return this.#kind.show(input).slice(0, SHOWN_CHARACTERS);
  }
}

/** What is in use after what is under way had its turn, and a garbage collection. */
async function memoryInUse(): Promise<Memory> {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  for (let count = 0; count < 3; count++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, rssBytes: rss };
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
