/**
 * The shape of a logger: that of pino, so that a pino instance fits as it is.
 *
 * Libraries of ours take a `Logger`; who composes them decides where the lines go.
 */

/** A structured line: fields first, then the message. */
interface LogMethod {
  (fields: object, message?: string): void;
  (message: string): void;
}

/** The part of pino's loggers that tsop uses; `child` adds fields to every line. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  /** Whether lines of that level go anywhere; where there is no such thing, they may. */
  isLevelEnabled?(level: "debug"): boolean;
  /** The same logger, with these fields on each of its lines. */
  child(fields: Record<string, unknown>): Logger;
}

/**
 * A logger that says nothing.
 *
 * @example
 * const quiet = createManager({ log: silentLogger });
 */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
  child: () => silentLogger,
};
