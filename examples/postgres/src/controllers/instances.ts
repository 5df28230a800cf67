import type { Client } from "tsop";
import { keyOf } from "tsop";
import type { Pod } from "tsop/k8s";
import { POSITION, PROMOTE } from "./commands.ts";

/** The databases in the pods. */
export interface Instances {
  /** How much of the log a standby has. */
  position(pod: Pod, signal: AbortSignal): Promise<number>;
  /** Lets the database in this very pod accept writes; it may do so already. */
  promote(pod: Pod, signal: AbortSignal): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/** The databases as PostgreSQL's own programs reach them. */
export class PodInstances implements Instances {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async position(pod: Pod, signal: AbortSignal): Promise<number> {
    const psql = ["psql", "--username=postgres", "-AXtc", POSITION];
    return Number(await this.#run(pod, psql, signal));
  }

  async promote(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#run(pod, ["sh", "-ec", PROMOTE, pod.metadata.uid], signal);
  }

  async #run(pod: Pod, command: readonly string[], signal: AbortSignal): Promise<string> {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const options = { container: "postgres", command, signal: inTime };
    const program = await this.#client.pods.exec(keyOf(pod), options);
    const { exitCode, stdout, stderr } = await program.output();
    if (exitCode === 0) return stdout;
    throw new Error(`${command[0]} in pod ${pod.metadata.name} ended with ${exitCode}: ${stderr}`);
  }
}

/** For a control plane that runs no containers, such as that of `tsop dev`. */
export const simulatedInstances: Instances = {
  position: () => Promise.resolve(0),
  promote: () => Promise.resolve(),
};
