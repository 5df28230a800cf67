/** SIGINT and SIGTERM as an abort. */
import { constants } from "node:os";

/**
 * A signal that is aborted by the first SIGINT or SIGTERM. The second one ends the process at once,
 * as it would without this handler; also as the first process of a container.
 *
 * @example
 * await manager.start(setupSignalHandler());
 */
export function setupSignalHandler(): AbortSignal {
  const controller = new AbortController();
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
