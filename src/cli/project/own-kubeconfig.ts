/** The kubeconfigs of the control planes that this user's commands run. */
import { TsopError } from "../../errors.ts";
import { FileLock } from "../../file-lock.ts";
import { OwnState } from "../../own-state.ts";
import { isInProjectFolder } from "../../project-folder.ts";
import { writePrivateFile } from "./private-file.ts";
import { tryLock } from "./project-lock.ts";
import { readRegularFileSync } from "../../regular-file.ts";

const stateOf = (path: string): OwnState => OwnState.about(path, "kubeconfig");

/** A kubeconfig that is that of this process's control plane, until `release`. */
export class KubeconfigClaim {
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #state: OwnState;

  private constructor(path: string, lock: FileLock, state: OwnState) {
    this.#path = path;
    this.#lock = lock;
    this.#state = state;
  }

  /**
   * Claims a path: a second control plane would write its own address over it, and leave one behind that answers nobody.
   *
   * @param otherwise - what the user may do beside ending the other one
   * @throws TsopError `kubeconfig-in-use`, `file-failed`, `no-state-folder`
   */
  static take(path: string, otherwise = ""): KubeconfigClaim {
    const state = stateOf(path);
    const lock = tryLock(state);
    if (lock instanceof FileLock) return new KubeconfigClaim(path, lock, state);
    const kill = lock.localPid === undefined ? "" : `, or \`kill ${lock.localPid}\``;
    throw new TsopError(
      "kubeconfig-in-use",
      `Another \`tsop dev\` or \`tsop cluster\` (${lock.holder}) is the control plane of ${path}.`,
      `Use that one, or end it (Ctrl-C in its terminal${kill})${otherwise}. If it is no longer running, delete ${state.lockPath}.`,
    );
  }

  /** @throws TsopError `write-failed`, `linked-folder`, `no-state-folder` */
  write(text: string): void {
    writePrivateFile(this.#path, text);
    this.#state.write({ text });
  }

  release(): void {
    this.#state.remove();
    this.#lock.release();
  }
}

/** The kubeconfig that a running control plane of this user has at the path; `undefined` if none runs. */
export function runningKubeconfig(path: string): string | undefined {
  const text = stateOf(path).readLive()?.["text"];
  return typeof text === "string" ? text : undefined;
}

/**
 * Refuses a kubeconfig in a folder `.tsop` that no running command of this user wrote: one of a cloned repository can name
 * a program to run. Other paths are the user's own choice.
 *
 * @throws TsopError `foreign-kubeconfig`
 */
export function requireOwn(path: string): void {
  if (!isInProjectFolder(path)) return;
  const running = runningKubeconfig(path);
  if (running !== undefined && running === textAt(path)) return;
  throw new TsopError(
    "foreign-kubeconfig",
    running === undefined
      ? `No \`tsop dev\` or \`tsop cluster\` of yours runs whose kubeconfig is ${path}.`
      : `${path} is not the kubeconfig that your running \`tsop dev\` or \`tsop cluster\` wrote.`,
    running === undefined
      ? "Start one of them: it writes the file. tsop uses no other kubeconfig in this folder, because it may come from the repository and can name programs to run."
      : "Stop the command and start it again: it writes the file.",
  );
}

function textAt(path: string): string | undefined {
  try {
    return readRegularFileSync(path).toString();
  } catch {
    return undefined;
  }
}
