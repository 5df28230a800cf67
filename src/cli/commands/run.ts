/**
 * `tsop run`: the operator in this terminal, against the cluster of the kubeconfig.
 *
 * @module
 */
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stringify } from "yaml";
import { messageOf, TsopError } from "../../errors.ts";
import { bundleOperator } from "../operator/bundle.ts";
import { findCluster, type ClusterOptions } from "../cluster/cluster-session.ts";
import { tellUntilReached } from "../cluster/reachability.ts";
import type { CliContext } from "../context.ts";
import { OperatorProcess } from "../operator/operator-process.ts";
import { paint } from "../output.ts";
import { writePrivateFile } from "../project/private-file.ts";
import { getProject } from "../project/project-file.ts";

/** The flags of `tsop run`. */
export interface RunOptions extends ClusterOptions {
  /** For the operator itself. */
  readonly args: readonly string[];
}

const BUNDLE = ".tsop/run/main.mjs";
/** A little more than a manager gives its reconcilers. */
const GRACE_MS = 35_000;

/** Runs the operator until it ends or is interrupted; returns the exit code. */
export async function run(options: RunOptions, context: CliContext): Promise<number> {
  const project = await getProject(context.cwd);
  const config = findCluster(options, context);
  await bundleOperator(project.root, BUNDLE);
  const kubeconfig = await kubeconfigPaths(project.root, options, context);
  // What the Deployment gives an operator of one namespace: there its own, here that of the context.
  const watched =
    project.namespaced && !context.env["WATCH_NAMESPACE"] ? config.namespace : undefined;
  const place = watched === undefined ? "" : `, namespace ${watched}`;
  context.out(`${paint(context).bold("run")} ${project.projectName} at ${config.server}${place}`);
  const operator = OperatorProcess.start(
    {
      root: project.root,
      file: BUNDLE,
      args: options.args,
      env: {
        ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }),
        ...(watched === undefined ? {} : { WATCH_NAMESPACE: watched }),
      },
    },
    context,
  );
  const signal = context.untilInterrupted();
  signal.addEventListener("abort", () => void operator.stop(GRACE_MS), { once: true });
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  tellUntilReached(config, context, over).catch((error: unknown) => {
    context.err(messageOf(error));
  });
  const code = await operator.exited.finally(() => {
    ended.abort();
  });
  if (code === 0 || signal.aborted) return 0;
  throw new TsopError(
    "operator-ended",
    `The operator ended with ${code ?? "a signal"}.`,
    "Its last lines above say why.",
  );
}

/** What `KUBECONFIG` has to be for the operator; `undefined` when it is right as it is. */
async function kubeconfigPaths(
  root: string,
  options: RunOptions,
  context: CliContext,
): Promise<string | undefined> {
  const home = join(context.env["HOME"] || homedir(), ".kube/config");
  const listed = (context.env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== "");
  const chosen = options.kubeconfig === undefined ? listed : [options.kubeconfig];
  // The operator runs in the project's folder, whatever folder the command was given in.
  const files = chosen.map((path) => resolve(context.cwd, path));
  if (options.context === undefined) {
    return files.length === 0 ? undefined : files.join(delimiter);
  }
  // The first file of the list decides the context; the others still hold everything else.
  const first = join(root, ".tsop/run/context.yaml");
  writePrivateFile(
    first,
    stringify({ apiVersion: "v1", kind: "Config", "current-context": options.context }),
  );
  return [first, ...(files.length === 0 ? [home] : files)].join(delimiter);
}
