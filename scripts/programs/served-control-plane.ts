/** A control plane in a process of its own, so that its memory and its time are not those of the program. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A running control plane, without controllers. */
export class ServedControlPlane {
  readonly kubeconfig: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, kubeconfig: string) {
    this.#child = child;
    this.kubeconfig = kubeconfig;
  }

  /** Starts one. It ends with this process at the latest. */
  static async start(): Promise<ServedControlPlane> {
    const child = fork("scripts/run-ts.mjs", ["scripts/programs/server.ts"], { execArgv: [] });
    const [kubeconfig] = (await once(child, "message")) as [string];
    return new ServedControlPlane(child, kubeconfig);
  }

  /** Cuts all connections. */
  dropConnections(): void {
    this.#child.send("drop");
  }

  /** Ends it. */
  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
