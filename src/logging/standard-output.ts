/** Writes the lines of this process to its standard output, in the form that the place asks for. */
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import type { Clock, Timer } from "../clock.ts";
import { TsopError } from "../errors.ts";
import type { LogFields } from "./log-fields.ts";
import { jsonLine, textLine, type LineColors, type LogFormat } from "./line-forms.ts";
import type { LineLevel, LineSink } from "./safe-logger.ts";

const STDOUT = 1;
// A reader that does not read must neither stop the operator nor fill its memory.
const MOST_WAITING_BYTES = 1024 * 1024;
const RETRY_MS = 20;
const LAST_TRIES = 50;

/** The form that fits: text on a terminal, JSON in a pod and wherever else a program reads. */
export function fittingFormat(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal = isatty(STDOUT),
): LogFormat {
  return isTerminal && env["KUBERNETES_SERVICE_HOST"] === undefined ? "text" : "json";
}

/** The format of that name. @throws TsopError `bad-log-format` */
export function formatNamed(name: string): LogFormat {
  if (name === "json" || name === "text") return name;
  throw new TsopError(
    "bad-log-format",
    `The log format ${JSON.stringify(name.slice(0, 100))} cannot be used.`,
    "Use json or text.",
  );
}

/** Writes some of the bytes; returns how many. Throws as `writeSync` does. */
export type WriteBytes = (bytes: Uint8Array) => number;

/** Lines on their way to a file descriptor, in bounded memory. */
export class LineOutput {
  readonly #clock: Clock;
  readonly #write: WriteBytes;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #timer: Timer | undefined;
  #isGone = false;

  constructor(clock: Clock, write: WriteBytes = (bytes) => writeSync(STDOUT, bytes)) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Writes a line now, or soon: the descriptor may not take it yet. */
  line(text: string): void {
    if (this.#isGone) return;
    const bytes = Buffer.from(`${text}\n`);
    if (this.#waitingBytes + bytes.length > MOST_WAITING_BYTES) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#timer) this.#drain();
  }

  /** How many lines were dropped since this was last asked: nobody read the others. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  get isFull(): boolean {
    return this.#waitingBytes > 0;
  }

  /** Writes what is left before the process ends, and waits a second for it at most. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let tried = 0; tried < LAST_TRIES && this.#waiting.length > 0; tried++) {
      if (tried > 0) Atomics.wait(pause, 0, 0, RETRY_MS);
      this.#writeWaiting();
    }
  }

  #drain(): void {
    this.#timer = undefined;
    this.#writeWaiting();
    if (this.#waiting.length === 0) return;
    this.#timer = this.#clock.after(RETRY_MS, () => this.#drain(), { unref: true });
  }

  #writeWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      let written: number;
      try {
        written = this.#write(next);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") return;
        // Nobody reads any more, and nobody can be told.
        this.#isGone = true;
        this.#waiting = [];
        this.#waitingBytes = 0;
        return;
      }
      this.#waitingBytes -= written;
      if (written < next.length) this.#waiting[0] = next.subarray(written);
      else this.#waiting.shift();
    }
  }
}

export interface LineSinkParts {
  readonly clock: Clock;
  readonly format: LogFormat;
  readonly output: LineOutput;
  /** Whether the text has colors. */
  readonly color: boolean;
}

/** The sink of the lines of an operator. */
export function lineSink(parts: LineSinkParts, bound: LogFields = {}): LineSink {
  const { clock, format, output } = parts;
  const form = { colors: parts.color ? ANSI : PLAIN, showsFrame: () => true };
  const put = (level: LineLevel, fields: LogFields, message: string): void => {
    const timeMs = clock.now();
    output.line(
      format === "json"
        ? jsonLine(level, timeMs, message, fields)
        : textLine({ level, timeMs, message, fields }, form),
    );
  };
  return {
    isBuiltIn: true,
    write: (level, fields, message) => {
      const dropped = output.isFull ? 0 : output.takeDropped();
      if (dropped > 0) {
        put(
          "warn",
          { dropped },
          `${dropped} log lines were dropped: standard output was not read.`,
        );
      }
      put(level, { ...bound, ...fields }, message);
      if (level === "fatal") output.flush();
    },
    isLevelEnabled: () => true,
    child: (fields) => lineSink(parts, { ...bound, ...fields }),
  };
}

const style =
  (start: number, end: number) =>
  (text: string): string =>
    `\u001b[${start}m${text}\u001b[${end}m`;
const same = (text: string): string => text;

const ANSI: LineColors = {
  bold: style(1, 22),
  dim: style(2, 22),
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  blue: style(34, 39),
  magenta: style(35, 39),
  cyan: style(36, 39),
};
const PLAIN: LineColors = {
  ...{ bold: same, dim: same, red: same, green: same },
  ...{ yellow: same, blue: same, magenta: same, cyan: same },
};
