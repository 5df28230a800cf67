/**
 * A kubelet for API servers without nodes: whatever pod there is, is said to run and to be ready.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Kubectl } from "../../support/kubectl.ts";

const PAUSE_MS = 500;
const READY = JSON.stringify({
  status: {
    phase: "Running",
    conditions: ["Ready", "ContainersReady"].map((type) => ({ type, status: "True" })),
  },
});
const SUCCEEDED = JSON.stringify({ status: { phase: "Succeeded" } });

/** Pods that are ready as soon as they are there; those of Jobs have succeeded. */
export class ReadyPods {
  readonly #loop: Promise<void>;
  #ended = false;

  private constructor(kubectl: Kubectl | undefined) {
    this.#loop = kubectl === undefined ? Promise.resolve() : this.#run(kubectl);
  }

  /** Looks after the pods of a cluster that has no nodes; elsewhere it does nothing. */
  static async whereNobodyRunsThem(kubectl: Kubectl): Promise<ReadyPods> {
    const nodes = await kubectl.output(["get", "nodes", "-o", "name"]);
    return new ReadyPods(nodes === "" ? kubectl : undefined);
  }

  /** Ends with the round that is under way. */
  async stop(): Promise<void> {
    this.#ended = true;
    await this.#loop;
  }

  async #run(kubectl: Kubectl): Promise<void> {
    const owner = "{.metadata.ownerReferences[0].kind}";
    const path = `jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}/${owner}{'\\n'}{end}`;
    const pending = ["get", "pods", "-A", "--field-selector=status.phase=Pending", "-o", path];
    while (!this.#ended) {
      const { stdout } = await kubectl.run(pending);
      for (const pod of stdout.split("\n").filter(Boolean)) {
        const [namespace = "", name = "", owner] = pod.split("/");
        // It may be gone by now.
        await kubectl.run([
          "patch",
          "pod",
          name,
          "-n",
          namespace,
          "--subresource=status",
          "-p",
          owner === "Job" ? SUCCEEDED : READY,
        ]);
      }
      await sleep(PAUSE_MS);
    }
  }
}
