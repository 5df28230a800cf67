/** Waits that end with a signal. */
import { abortReason } from "../clock.ts";

/** Waits for `work`, no longer than until the signal is aborted. @throws the signal's reason */
export function unlessAborted<T>(
  work: T | Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(abortReason(signal));
    };
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    void Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        signal?.removeEventListener("abort", stop);
      });
  });
}
