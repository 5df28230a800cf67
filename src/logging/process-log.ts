/** The log of this process as its flags and its environment ask for it. */
import { isatty } from "node:tty";
import { systemClock, type Clock } from "../clock.ts";
import type { Logger } from "../log.ts";
import type { LogFormat } from "./line-forms.ts";
import { LevelTable, type LogLevels } from "./log-levels.ts";
import { SafeLogger } from "./safe-logger.ts";
import { fittingFormat, formatNamed, LineOutput, lineSink } from "./standard-output.ts";

/** The variables that choose the level and the form where no flag and no option does. */
const LEVEL_VARIABLE = "TSOP_LOG_LEVEL";
const FORMAT_VARIABLE = "TSOP_LOG_FORMAT";

/** The variable by which the commands of tsop get JSON, which they show to people themselves. */
export const READER_VARIABLE = "TSOP_LOG_READER";

/** The settings of a log. */
export interface LogSettings {
  /** A logger of the program; lines on standard output when absent. */
  readonly log?: Logger | undefined;
  readonly logLevel?: LogLevels | undefined;
  readonly logFormat?: LogFormat | undefined;
  readonly clock?: Clock | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const output = new LineOutput(systemClock);

/**
 * The log with these settings; the environment chooses what they leave out.
 *
 * @throws TsopError `bad-log-level`, `bad-log-format`
 */
export function openLog(settings: LogSettings = {}, env: Environment = process.env): SafeLogger {
  const { log, clock = systemClock } = settings;
  if (log instanceof SafeLogger) return log;
  const level = settings.logLevel ?? nonEmpty(env[LEVEL_VARIABLE]);
  const wanted = nonEmpty(env[FORMAT_VARIABLE]);
  const chosen = settings.logFormat ?? (wanted === undefined ? undefined : formatNamed(wanted));
  if (log) {
    // Its own level decides as long as none is given here.
    const safe = SafeLogger.of(log, new LevelTable(level));
    if (settings.logFormat !== undefined) {
      safe.warn(
        { logFormat: settings.logFormat },
        "logFormat has no effect: this operator has a logger of its own, which decides on the form. Leave out logFormat, or the logger.",
      );
    }
    return safe;
  }
  const announces = nonEmpty(env[READER_VARIABLE]) !== undefined;
  const format = announces ? "json" : (chosen ?? fittingFormat(env));
  const color = isatty(1) && env["NO_COLOR"] === undefined;
  const levels = new LevelTable(level ?? "info", { announces });
  return new SafeLogger(lineSink({ clock, format, output, color }), levels);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
