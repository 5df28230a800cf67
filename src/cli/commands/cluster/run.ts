/** `tsop cluster`: runs only the control plane, in the foreground. */
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { admissionPlugins } from "../../../controlplane/admission-plugins.ts";
import { ADMIN } from "../../../controlplane/auth/kubeconfig.ts";
import { messageOf, TsopError, UsageError } from "../../../errors.ts";
import { startControlPlane } from "../../../controlplane/control-plane.ts";
import type { CliContext } from "../../context.ts";
import { untilParentEnds } from "../../parent-end.ts";
import { shellWord } from "../../shell-word.ts";
import { checkPort } from "../../project/inputs.ts";
import { serviceAddresses } from "../../project/service-addresses.ts";
import { keepHeapLean } from "../../lean-heap.ts";
import { paint } from "../../output.ts";
import { claimDataDir, requireOwnDataDir, sealDataDir } from "../../project/own-data-dir.ts";
import { ownClientKey } from "../../project/own-client-key.ts";
import { KubeconfigClaim } from "../../project/own-kubeconfig.ts";
import { makePrivateFolder } from "../../project/tsop-folder.ts";
import { untilAborted } from "../../../clock.ts";
import { present } from "../../../present.ts";
import type { Options, Run } from "../../command.ts";
import type { cluster } from "./flags.ts";

type ClusterCommandOptions = Options<typeof cluster>;

export const run: Run<typeof cluster> = async (options, context) => {
  checkPort(options.port);
  if (!Number.isInteger(options.nodes) || options.nodes < 0) {
    throw new UsageError("bad-nodes", "--nodes must be an integer.", "For example: --nodes 3");
  }
  const kubeconfig = resolve(context.cwd, options.kubeconfig);
  const claim = KubeconfigClaim.take(kubeconfig, ", or pass another --kubeconfig");
  try {
    await serve(options, { kubeconfig, claim }, context);
    return 0;
  } finally {
    claim.release();
  }
};

async function serve(
  options: ClusterCommandOptions,
  { kubeconfig, claim }: { readonly kubeconfig: string; readonly claim: KubeconfigClaim },
  context: CliContext,
): Promise<void> {
  const disableAdmissionPlugins = admissionPlugins(options.disableAdmissionPlugins);
  const dataDir = dataFolder(options.dataDir, context);
  const began = context.clock.monotonicMs();
  const signal = AbortSignal.any([
    untilParentEnds(
      { parentPid: options.parentPid, exitOnStdinClose: options.exitOnStdinClose },
      context.clock,
    ),
    context.untilInterrupted(),
  ]);
  const clientKey = ownClientKey();
  const controlPlane = await startControlPlane({
    port: options.port,
    controllers: options.controllers,
    nodes: options.nodes,
    podTiming: options.podTiming,
    clock: context.clock,
    serviceAddresses: serviceAddresses(options.routeService),
    disableAdmissionPlugins,
    ...present({ dataDir }),
  }).catch((error: unknown) => {
    // After a failure such as a port in use, the files are new already.
    if (dataDir !== undefined) claimDataDir(dataDir);
    throw error;
  });
  // The heap is kept lean from here on: anything that the control plane makes while it starts
  // stays.
  const letHeapGrow = keepHeapLean();
  try {
    claim.write(controlPlane.kubeconfigFor({ ...ADMIN, key: await clientKey }));
    if (dataDir !== undefined) claimDataDir(dataDir);
    const startMs = Math.round(context.clock.monotonicMs() - began);
    tellReady(options, { url: controlPlane.url, kubeconfig, startMs }, context);
    await untilAborted(signal);
  } finally {
    letHeapGrow();
    await controlPlane.stop();
    if (dataDir !== undefined) sealDataDir(dataDir);
  }
}

interface Ready {
  readonly url: string;
  readonly kubeconfig: string;
  readonly startMs: number;
}

/** Prints that the control plane answers, as the options ask. */
function tellReady(options: ClusterCommandOptions, ready: Ready, context: CliContext): void {
  const { url, kubeconfig, startMs } = ready;
  const { pid } = process;
  if (options.json) {
    context.out(JSON.stringify({ ...ready, pid }));
    return;
  }
  if (options.printEnv) {
    const path = shellWord(kubeconfig, "linux");
    // envtest, and so controller-runtime's tests, use the cluster of KUBECONFIG then.
    context.out(`export KUBECONFIG=${path} USE_EXISTING_CLUSTER=true TSOP_CLUSTER_PID=${pid}`);
    return;
  }
  const { bold, green, dim } = paint(context);
  context.out(
    `${bold("control plane")}  ${url}  ${green("ready")} in ${startMs} ms  kubeconfig ${options.kubeconfig}`,
  );
  context.err(dim(`  kubectl --kubeconfig ${options.kubeconfig} get all -A; Ctrl-C to stop`));
}

/** Makes the folder; it will hold Secrets and keys. @throws TsopError `bad-data-dir`, `linked-folder`, `foreign-data-dir` */
function dataFolder(folder: string | undefined, context: CliContext): string | undefined {
  if (folder === undefined) return undefined;
  const path = resolve(context.cwd, folder);
  try {
    makePrivateFolder(path);
    requireOwnDataDir(path);
    accessSync(path, constants.R_OK | constants.W_OK);
    return path;
  } catch (error) {
    if (error instanceof TsopError) throw error;
    throw new TsopError(
      "bad-data-dir",
      `${path} cannot hold the objects: ${messageOf(error)}`,
      "Pass a writable folder to --data-dir, or a path where tsop can create one.",
      { cause: error },
    );
  }
}
