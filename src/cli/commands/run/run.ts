/** `tsop run`: runs the operator on this machine against the cluster of the kubeconfig. */
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stringify } from "yaml";
import { messageOf, TsopError } from "../../../errors.ts";
import { bundleOperator } from "../../operator/bundle.ts";
import { findCluster, openCluster } from "../../cluster/cluster-session.ts";
import { tellUntilReached } from "../../cluster/reachability.ts";
import type { CliContext } from "../../context.ts";
import { OperatorProcess } from "../../operator/operator-process.ts";
import { paint } from "../../output.ts";
import { endingOf } from "../../processes.ts";
import { writePrivateFile } from "../../project/private-file.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { getProject } from "../../project/project-file.ts";
import { generatedPath } from "../../project/tsop-folder.ts";
import { tellDeployedBeside } from "../../operator/run/deployed-beside.ts";
import { askingObjects, type RunParts, RunWebhooks } from "../../operator/run/run-webhooks.ts";
import {
  addressBeside,
  parseWebhookAddress,
  type WebhookAddress,
} from "../../operator/run/webhook-address.ts";
import { present } from "../../../present.ts";
import type { Options, Run } from "../../command.ts";
import type { runOperator } from "./flags.ts";

type RunOptions = Options<typeof runOperator>;

const BUNDLE = generatedPath("run", "main.mjs");
const CONTEXT = generatedPath("run", "context.yaml");
/** A little more than a manager gives its reconcilers. */
const GRACE_MS = 35_000;
/** The timeout of each request about webhooks: nobody waits longer at the end. */
const REQUEST_SECONDS = 10;

export const run: Run<typeof runOperator> = async (args, options, context) => {
  const project = await getProject(context.cwd);
  const config = findCluster(options, context);
  const given =
    options.webhookAddress === undefined ? undefined : parseWebhookAddress(options.webhookAddress);
  await bundleOperator(project.root, BUNDLE);
  const kubeconfig = await kubeconfigPaths(project.root, options, context);
  // The namespace to watch, which the Deployment gives an operator of one namespace: there its own,
  // here that of the context.
  const watched =
    project.namespaced && !context.env["WATCH_NAMESPACE"] ? config.namespace : undefined;
  const place = watched === undefined ? "" : `, namespace ${watched}`;
  context.out(`${paint(context).bold("run")} ${project.projectName} at ${config.server}${place}`);
  const signal = context.untilInterrupted();
  const webhooks = await webhooksFor(
    { project, context, signal },
    { ...options, args, address: given },
  );
  const isInterrupted = (): boolean => signal.aborted;
  if (isInterrupted()) return 0;
  const operator = OperatorProcess.start(
    {
      root: project.root,
      file: BUNDLE,
      args: [...(webhooks?.args ?? []), ...args],
      env: {
        ...webhooks?.env,
        ...present({ KUBECONFIG: kubeconfig, WATCH_NAMESPACE: watched }),
      },
    },
    context,
    webhooks?.hear,
  );
  /** The webhooks are put back first: nobody is to ask an operator that ends. */
  const end = async (): Promise<void> => {
    await webhooks?.putBack();
    await operator.stop(GRACE_MS);
  };
  signal.addEventListener("abort", () => void end(), { once: true });
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const tellError = (error: unknown): void => {
    context.err(messageOf(error));
  };
  tellUntilReached(config, context, over).catch(tellError);
  const session = openCluster({ ...options, timeout: REQUEST_SECONDS }, context, over);
  const here = { args, namespace: config.namespace };
  tellDeployedBeside(session, project, here, context).catch((error: unknown) => {
    if (!over.aborted) tellError(error);
  });
  try {
    const code = await Promise.race([operator.exited, ...(webhooks ? [webhooks.failed] : [])]);
    if (code === 0 || isInterrupted()) return 0;
    throw new TsopError(
      "operator-ended",
      `The operator ${endingOf(code)}.`,
      "See its last lines above.",
    );
  } finally {
    ended.abort();
    await end();
  }
};

/** The server of the project's webhooks here; `undefined` where nobody answers them, which is said. */
async function webhooksFor(
  { project, context, signal }: Omit<RunParts, "session">,
  options: RunOptions & {
    readonly args: readonly string[];
    readonly address: WebhookAddress | undefined;
  },
): Promise<RunWebhooks | undefined> {
  // A user who names the port cares for the rest, too.
  if (options.args.some((argument) => argument.startsWith("--webhook-port"))) return undefined;
  if (project.certificates === undefined) return undefined;
  const objects = askingObjects(await renderKustomization(join(project.root, "config/default")));
  if (objects.length === 0) return undefined;
  if (!options.webhooks) {
    tellNotServed("--no-webhooks leaves the cluster's webhooks unchanged", undefined, context);
    return undefined;
  }
  const session = openCluster({ ...options, timeout: REQUEST_SECONDS }, context);
  const address = options.address ?? addressBeside(session.server);
  if (!address) {
    tellNotServed(
      `the API server at ${session.server} is on another machine`,
      "Name an address of this machine that it reaches: --webhook-address HOST[:PORT]",
      context,
    );
    return undefined;
  }
  try {
    return await RunWebhooks.prepare({ session, project, context, signal }, objects, address);
  } catch (error) {
    const isGuess = options.address === undefined;
    if (!(isGuess && error instanceof TsopError && error.code === "webhooks-not-reached")) {
      throw error;
    }
    tellNotServed(error.message, error.fix, context);
    return undefined;
  }
}

function tellNotServed(why: string, fix: string | undefined, context: CliContext): void {
  const { yellow, dim } = paint(context);
  context.err(
    `${yellow("note")} the API server does not call the webhooks of this operator: ${why}`,
  );
  if (fix !== undefined) context.err(dim(`  ${fix}`));
}

/** The `KUBECONFIG` that the operator needs; `undefined` when it is right as it is. */
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
  const first = join(root, CONTEXT);
  writePrivateFile(
    first,
    stringify({ apiVersion: "v1", kind: "Config", "current-context": options.context }),
  );
  return [first, ...(files.length === 0 ? [home] : files)].join(delimiter);
}
