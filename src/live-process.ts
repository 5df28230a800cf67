/** Processes as files name them, so that a later process can tell whether the writer of a file still runs. */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A process of some machine. */
export interface ProcessMark {
  readonly pid: number;
  readonly host: string;
  /** Distinguishes a process from an earlier one with the same number. Absent where the system does not show it. */
  readonly started?: string;
}

let own: ProcessMark | undefined;

/** The mark of this process. */
export function ownMark(): ProcessMark {
  own ??= markOf(process.pid);
  return own;
}

function markOf(pid: number): ProcessMark {
  const started = startOf(pid);
  return { pid, host: hostname(), ...(started !== undefined && { started }) };
}

/** The mark of a process of this machine; `undefined` if none runs with that id. */
export function markOfRunning(pid: number): ProcessMark | undefined {
  const mark = markOf(pid);
  return isRunning(mark) === true ? mark : undefined;
}

/** The mark in a JSON value; `undefined` if it is not a complete one. */
export function markIn(value: unknown): ProcessMark | undefined {
  const { pid, host, started } = (value ?? {}) as { [Key in keyof ProcessMark]?: unknown };
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== "string") return undefined;
  return { pid, host, ...(typeof started === "string" && { started }) };
}

/** Whether the process runs; `undefined` for one of another machine. */
export function isRunning({ pid, host, started }: ProcessMark): boolean | undefined {
  if (host !== hostname()) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process lives, and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = started === undefined ? undefined : startOf(pid);
  return now === undefined || now === started;
}

/** The moment at which a process was started, in ticks since the machine was; only Linux has it in a file. */
function startOf(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in parentheses, can contain spaces and parentheses.
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
