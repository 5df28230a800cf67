/** A log whose lines are kept. */
import { VirtualClock } from "../../src/clock.ts";
import { LevelTable } from "../../src/logging/log-levels.ts";
import { SafeLogger } from "../../src/logging/safe-logger.ts";
import { LineOutput, lineSink } from "../../src/logging/standard-output.ts";
import type { LogFormat } from "../../src/logging/line-forms.ts";

export type Entry = Readonly<Record<string, unknown>>;

export interface KeptLog {
  readonly clock: VirtualClock;
  readonly lines: readonly string[];
  readonly log: SafeLogger;
  /** The lines of JSON. */
  readonly entries: () => Entry[];
}

/** A log of all levels, with its lines as they were written. */
export function keptLog(format: LogFormat = "json", levels?: string): KeptLog {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6) });
  const lines: string[] = [];
  const output = new LineOutput(clock, (bytes) => {
    lines.push(Buffer.from(bytes).toString());
    return bytes.length;
  });
  const log = new SafeLogger(
    lineSink({ clock, format, output, color: false }),
    new LevelTable(levels),
  );
  const entries = (): Entry[] => lines.map((line) => JSON.parse(line) as Entry);
  return { clock, lines, log, entries };
}
