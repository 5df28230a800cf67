/** The controllers of a control plane: its own one of definitions, and the simulated ones. */
import type { ControllerContext, IssueToken } from "./controllers/framework/client.ts";
import { toolsOf } from "./controllers/framework/controller.ts";
import { WorkLoop } from "./controllers/framework/work-loop.ts";
import { type RunningControllers, startControllers } from "./controllers/start-controllers.ts";
import { CrdController } from "./crd/crd-controller.ts";
import type { Cluster } from "./server/cluster/cluster.ts";
import { controllerContext } from "./server/controller-client.ts";

interface ControllerOptions {
  readonly controllers?: "on" | "off" | "no-kubelet";
  readonly nodes?: number;
  readonly podTiming?: "real" | "instant";
}

/**
 * How long a real API server takes to notice that a definition is deleted, in milliseconds: clients
 * look at it once more.
 */
const DEFINITION_GRACE_MS = 100;

/** Runs the server's own controller of definitions, and the others as the options say. */
export function runControllers(
  cluster: Cluster,
  { controllers = "on", nodes = 1, podTiming = "instant" }: ControllerOptions,
  more: Pick<ControllerContext, "caCertificate" | "checkPolicyTypes" | "certificateSigner">,
): RunningControllers {
  const { log, tokens } = cluster;
  const issueToken: IssueToken = (account, secret) => tokens.issueForSecret(account, secret);
  const context = { ...controllerContext(cluster), log, nodes, podTiming, ...more, issueToken };
  const tools = toolsOf(context, "kube-apiserver");
  const graceMs = podTiming === "real" ? DEFINITION_GRACE_MS : 0;
  const definitions = new WorkLoop([new CrdController(tools, { graceMs })], tools, log);
  definitions.start();
  const others = controllers === "off" ? undefined : startControllers(context, controllers);
  return {
    async settle() {
      await definitions.settle();
      await others?.settle();
      await definitions.settle();
    },
    stop() {
      definitions.stop();
      others?.stop();
    },
  };
}
