const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/**
 * Runs `work` to its end: a signal that would end the process in the middle does so afterwards. If somebody else
 * listens for the signal, it is left to them.
 */
export async function uninterrupted<T>(work: () => Promise<T>): Promise<T> {
  let held: NodeJS.Signals | undefined;
  const hold = (signal: NodeJS.Signals): void => {
    held ??= signal;
  };
  for (const signal of SIGNALS) process.on(signal, hold);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, hold);
    if (held !== undefined && process.listenerCount(held) === 0) process.kill(process.pid, held);
  }
}
