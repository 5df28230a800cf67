/**
 * The interface of a logger: that of pino, so that a pino instance fits. Libraries take a `Logger`;
 * the program that composes them decides where the lines go.
 */

/** Writes a structured line: fields first, then the message. */
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
  /**
   * Whether lines of that level are written anywhere; a logger without this method may write them.
   */
  isLevelEnabled?(level: "debug"): boolean;
  /** The same logger, with these fields on each of its lines. */
  child(fields: Record<string, unknown>): Logger;
}

/**
 * A logger that writes nothing.
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
