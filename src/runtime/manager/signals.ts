/** SIGINT and SIGTERM as an abort. */

/**
 * A signal that is aborted by the first SIGINT or SIGTERM. The second one ends the process at once,
 * as it would without this handler.
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
    controller.abort(new Error(`received ${signal}`));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return controller.signal;
}
