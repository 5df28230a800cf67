/** The signals of an operator's process: SIGINT and SIGTERM as an abort, SIGUSR2 for the log level. */
import { constants } from "node:os";
import { manyListeners } from "../../clock.ts";
import { toggleDebug } from "./log-level.ts";
import { handleProcessEnd, runningLogs } from "./process-end.ts";

function switchDebug(): void {
  for (const log of runningLogs()) toggleDebug(log);
}

/**
 * A signal that is aborted by the first SIGINT or SIGTERM. The second one ends the process at once,
 * as it would without this handler; also as the first process of a container. SIGUSR2 switches the log to debug and back; what nothing catches
 * becomes the last line of the log.
 *
 * @example
 * await manager.start(setupSignalHandler());
 */
export function setupSignalHandler(): AbortSignal {
  handleProcessEnd();
  // Windows has no such signal; SIGUSR1 starts Node's debugger.
  if (process.platform !== "win32") process.on("SIGUSR2", switchDebug);
  const controller = manyListeners(new AbortController());
  const stop = (signal: NodeJS.Signals): void => {
    // Without this handler the next signal has its usual effect.
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
    if (process.pid === 1) endOnSignal();
    controller.abort(new Error(`received ${signal}`));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}

/** The kernel ignores signals to the first process of a container, unless it has a handler for them. */
function endOnSignal(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      // oxlint-disable-next-line no-restricted-properties -- as the signal itself would
      process.exit(128 + constants.signals[signal]);
    });
  }
}
