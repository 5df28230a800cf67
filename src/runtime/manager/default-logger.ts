/** The default log of an operator: pino, as JSON lines on stdout. */
import { pino } from "pino";
import type { Logger } from "../../log.ts";

/** A logger with the error under `err`, as pino's own serializer wants it. */
export function defaultLogger(): Logger {
  return pino();
}
