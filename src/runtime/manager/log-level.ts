/** Changes the level of a running operator's log. */
import type { SafeLogger } from "../../logging/safe-logger.ts";

/**
 * Changes the levels, and logs the change, whatever the level is; returns the same as a text.
 *
 * @throws TsopError `bad-log-level`
 */
export function changeLogLevel(log: SafeLogger, text: string): string {
  const { levels } = log;
  const before = levels.shown;
  levels.set(text);
  const unknown = levels.unknown();
  const said =
    unknown.length === 0
      ? ""
      : ` No line of this process is of ${unknown.map((name) => JSON.stringify(name)).join(", ")} so far. Components are named as in controller/NAME.`;
  const change = `The log level is now ${levels.shown}; it was ${before}.${said}`;
  log.always({ logLevel: levels.shown }, change);
  return change;
}

/** Switches to debug, and back to the level that the process was started with. */
export function toggleDebug(log: SafeLogger): void {
  changeLogLevel(log, log.levels.text === "debug" ? log.levels.first : "debug");
}
