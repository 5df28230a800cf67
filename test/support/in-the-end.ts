/** Waits for other processes, files and sockets, however slow the machine is. */
import { eventually } from "../../src/testing.ts";

/** Against what hangs: a little less than a test has, so that the last error is the test's. */
const PATIENCE_MS = 50_000;

/** Calls `check` until it does not throw, and returns its value. @throws the last error of `check` */
export function inTheEnd<T>(check: () => T | Promise<T>): Promise<T> {
  return eventually(check, { timeoutMs: PATIENCE_MS });
}
