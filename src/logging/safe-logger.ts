/**
 * The one door to the log: every line of an operator goes through it, whoever writes it. It drops
 * lines below the level, turns errors into plain records, and limits the size of a line.
 */
import type { Logger } from "../log.ts";
import { ByteBudget, cutText } from "./bounded-text.ts";
import { plainFields, type LogFields } from "./log-fields.ts";
import { rankOf, type LevelTable, type LogLevel } from "./log-levels.ts";

/** A line, also the last one of a process. */
export type LineLevel = LogLevel | "fatal";

/** Takes the lines, whose fields are plain and limited. */
export interface LineSink {
  write(level: LineLevel, fields: LogFields, message: string): void;
  /** Whether a line of that level is written anywhere. */
  isLevelEnabled(level: "debug"): boolean;
  child(fields: LogFields): LineSink;
  /** Whether the lines have the form that `logFormat` chooses. */
  readonly isBuiltIn: boolean;
}

const MESSAGE_BYTES = 2048;
// With the message, the time and the level, a line stays below 8 KiB.
const FIELD_BYTES = 4608;
const BOUND_BYTES = 1024;

/** A logger of the program as a sink. */
function sinkOf(logger: Logger & Partial<Record<"fatal", Logger["error"]>>): LineSink {
  return {
    isBuiltIn: false,
    write: (level, fields, message) => {
      const method = level === "fatal" ? (logger.fatal ?? logger.error) : logger[level];
      // Loggers take the message alone where there are no fields.
      if (Object.keys(fields).length === 0) method.call(logger, message);
      else (method as (fields: object, message: string) => void).call(logger, fields, message);
    },
    isLevelEnabled: (level) => logger.isLevelEnabled?.(level) ?? true,
    child: (fields) => sinkOf(logger.child(fields)),
  };
}

/** A logger whose lines are safe to write. */
export class SafeLogger implements Logger {
  readonly levels: LevelTable;
  readonly #sink: LineSink;
  readonly #bound: object | undefined;
  readonly #component: string | undefined;
  #bindings: LineSink | undefined;
  #lowest = 0;
  #version = -1;

  constructor(sink: LineSink, levels: LevelTable, bound?: object, component?: string) {
    this.#sink = sink;
    this.levels = levels;
    this.#bound = bound;
    this.#component = component;
  }

  /** The logger itself, if it is a safe one; a safe one that writes to it otherwise. */
  static of(logger: Logger, levels: LevelTable): SafeLogger {
    if (logger instanceof SafeLogger) return logger;
    return new SafeLogger(sinkOf(logger), levels);
  }

  get isBuiltIn(): boolean {
    return this.#sink.isBuiltIn;
  }

  readonly debug: Logger["debug"] = (first: unknown, second?: unknown) => {
    this.#write("debug", first, second);
  };

  readonly info: Logger["info"] = (first: unknown, second?: unknown) => {
    this.#write("info", first, second);
  };

  readonly warn: Logger["warn"] = (first: unknown, second?: unknown) => {
    this.#write("warn", first, second);
  };

  readonly error: Logger["error"] = (first: unknown, second?: unknown) => {
    this.#write("error", first, second);
  };

  /** The last line of a process; it is written whatever the level is. */
  readonly fatal: Logger["error"] = (first: unknown, second?: unknown) => {
    this.#write("fatal", first, second);
  };

  /** A line that `tsop run` and `tsop dev` wait for: it is written for them whatever the level is. */
  announce(fields: object, message: string): void {
    if (this.levels.announces) this.always(fields, message);
    else this.info(fields, message);
  }

  /** A line at level info that is written whatever the level is. */
  always(fields: object, message: string): void {
    this.#write("always", fields, message);
  }

  isLevelEnabled(level: "debug"): boolean {
    return rankOf(level) >= this.#lowestRank() && this.#sink.isLevelEnabled(level);
  }

  child(fields: Record<string, unknown>): SafeLogger {
    const component = componentOf(fields) ?? this.#component;
    if (component !== undefined && component !== this.#component) this.levels.sees(component);
    return new SafeLogger(this.#bindingSink(), this.levels, fields, component);
  }

  #lowestRank(): number {
    const { levels } = this;
    if (this.#version !== levels.version) {
      this.#lowest = levels.lowest(this.#component);
      this.#version = levels.version;
    }
    return this.#lowest;
  }

  /** The sink with the fields of this logger; most children of a reconcile never write. */
  #bindingSink(): LineSink {
    if (!this.#bound) return this.#sink;
    return (this.#bindings ??= this.#sink.child(
      plainFields(this.#bound, new ByteBudget(BOUND_BYTES)),
    ));
  }

  #write(as: LineLevel | "always", first: unknown, second: unknown): void {
    const level = as === "always" ? "info" : as;
    const isAlways = as === "always" || as === "fatal";
    if (!isAlways && rankOf(as) < this.#lowestRank()) return;
    // Programs without types write `log.error("it failed", error)`, too.
    const isText = typeof first === "string";
    const message = isText ? first : second;
    const given = isText ? second : first;
    const fields = typeof given === "object" && given !== null ? given : undefined;
    const budget = new ByteBudget(FIELD_BYTES);
    const plain = fields === undefined ? {} : plainFields(fields, budget);
    const text = typeof message === "string" ? message : "";
    this.#bindingSink().write(level, plain, cutText(text, MESSAGE_BYTES));
  }
}

/** Writes a line that the commands of tsop wait for. */
export function announce(log: Logger, fields: object, message: string): void {
  if (log instanceof SafeLogger) log.announce(fields, message);
  else log.info(fields, message);
}

/** The component that the fields of a child name: `controller/web`, `webhook/convert`, `cache`. */
function componentOf(fields: Record<string, unknown>): string | undefined {
  const { controller, webhook, logger } = fields;
  if (typeof controller === "string") return `controller/${controller}`;
  if (typeof webhook === "string") return `webhook${webhook.startsWith("/") ? "" : "/"}${webhook}`;
  return typeof logger === "string" ? logger : undefined;
}
