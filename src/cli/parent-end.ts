/** The end of the process that started a command: a control plane must not outlive the test run that started it. */
import type { Clock } from "../clock.ts";
import { UsageError } from "../errors.ts";
import { isRunning, markOfRunning } from "../live-process.ts";

const LOOK_MS = 500;

interface Parent {
  readonly parentPid: number | undefined;
  /** Whether the command also ends when its standard input closes. */
  readonly exitOnStdinClose: boolean;
}

/**
 * A signal that aborts when the parent has ended.
 *
 * @throws UsageError `bad-parent-pid`
 */
export function untilParentEnds(
  { parentPid, exitOnStdinClose }: Parent,
  clock: Clock,
): AbortSignal {
  const ended = new AbortController();
  if (parentPid !== undefined) followProcess(parentPid, clock, ended);
  if (exitOnStdinClose) {
    process.stdin.on("end", () => ended.abort()).on("error", () => ended.abort());
    process.stdin.resume();
  }
  return ended.signal;
}

function followProcess(pid: number, clock: Clock, ended: AbortController): void {
  const mark = Number.isInteger(pid) && pid > 0 ? markOfRunning(pid) : undefined;
  if (!mark) {
    throw new UsageError(
      "bad-parent-pid",
      `--parent-pid must be the id of a running process, and ${pid} is none.`,
      "For example, in a shell: --parent-pid $$",
    );
  }
  const look = (): void => {
    if (isRunning(mark) === true) clock.after(LOOK_MS, look, { unref: true });
    else ended.abort();
  };
  look();
}
