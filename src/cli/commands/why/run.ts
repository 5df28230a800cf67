/** `tsop why`: shows which change triggered which reconcile, and what that wrote. */
import { join } from "node:path";
import { TsopError, UsageError } from "../../../errors.ts";
import { groupResourceOf } from "../../../kube/resource.ts";
import type { Client } from "../../../runtime/client/client.ts";
import { createClient } from "../../../runtime/client/create-client.ts";
import type { JournalEntry } from "../../../runtime/journal/entry.ts";
import { findCluster, type ClusterChoice } from "../../cluster/cluster-session.ts";
import type { CliContext } from "../../context.ts";
import { clusterJournals } from "../../journal/cluster-journal.ts";
import { placeOfDev, readJournal, type OperatorJournal } from "../../journal/journal-place.ts";
import { kindNamed } from "../../journal/kind-names.ts";
import { ownerOf } from "../../journal/owner.ts";
import { concerns, reasonsFor, type Reasons } from "../../journal/reasons.ts";
import { reasonLines } from "../../journal/reasons-text.ts";
import { printJson } from "../../output.ts";
import { noOperatorToAsk, operatorPlace } from "../../journal/asked-operator.ts";
import { parseTarget, type Target } from "../../journal/target.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { findProject, getProject, type Project } from "../../project/project-file.ts";
import { runningKubeconfig } from "../../project/own-kubeconfig.ts";
import { ADMIN_KUBECONFIG } from "../../../project-folder.ts";
import type { Options, Run } from "../../command.ts";
import type { why } from "./flags.ts";

type WhyOptions = Options<typeof why>;

export const run: Run<typeof why> = async (object, name, options, context) => {
  const target = name === undefined ? object : `${object}/${name}`;
  if (options.page) {
    const { whyPage } = await import("./why-page.ts");
    return whyPage(target, options, context);
  }
  const { namespace, last, output } = options;
  const asked = parseTarget(target, namespace);
  if (!Number.isInteger(last) || last < 1) {
    throw new UsageError(
      "bad-last",
      "--last must be a positive integer.",
      "For example: --last 20",
    );
  }
  const answers = await journals(options, context);
  const entries: JournalEntry[] = answers.flatMap((answer) => answer.entries);
  const reasons = await reasonsOrOwner(asked, entries, options, context);
  if (output === "json") printJson(context, reasons);
  else for (const line of reasonLines(reasons, context)) context.out(line);
  return 0;
};

/** The reasons for the object; where the journal does not know it, the error names its owner. */
async function reasonsOrOwner(
  asked: Target,
  entries: readonly JournalEntry[],
  options: WhyOptions,
  context: CliContext,
): Promise<Reasons> {
  const project = await findProject(context.cwd);
  const kind = await kindNamed(project?.root, asked.kind);
  const target = { ...asked, ...(kind && { resource: groupResourceOf(kind) }) };
  try {
    return reasonsFor(target, entries, options);
  } catch (error) {
    if (!(error instanceof TsopError && error.code === "not-in-journal") || !kind) throw error;
    const cluster = clusterOf(options, project);
    const owner =
      cluster &&
      (await ownerIn(cluster, context, (client) =>
        ownerOf(client, kind, target, (one) => concerns(entries, one)),
      ));
    if (owner === undefined) throw error;
    throw new TsopError(
      error.code,
      error.message,
      `The operator did not change it; ask about its owner: \`tsop why ${owner}\`.`,
    );
  }
}

/** The cluster that the flags name, or that of `tsop dev`; that of an operator at an address is not known. */
function clusterOf(options: WhyOptions, project: Project | undefined): ClusterChoice | undefined {
  if (options.kubeconfig !== undefined || options.context !== undefined) return options;
  if (options.operator !== undefined || !project) return undefined;
  const kubeconfigText = runningKubeconfig(join(project.root, ADMIN_KUBECONFIG));
  return kubeconfigText === undefined ? undefined : { kubeconfigText };
}

/** What is found in the cluster; nothing where it cannot be asked, since the answer only helps. */
async function ownerIn(
  cluster: ClusterChoice,
  context: CliContext,
  find: (client: Client) => Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await find(
      createClient(findCluster(cluster, context), { name: "tsop", clock: context.clock }),
    );
  } catch {
    return undefined;
  }
}

async function journals(options: WhyOptions, context: CliContext): Promise<OperatorJournal[]> {
  const { operator, kubeconfig } = options;
  if (operator !== undefined) {
    return [await readJournal(operatorPlace(operator, context), context.clock)];
  }
  const project = await getProject(context.cwd);
  if (kubeconfig === undefined && options.context === undefined) {
    const place = placeOfDev(project.root);
    if (place) return [await readJournal(place, context.clock)];
    throw noOperatorToAsk();
  }
  const client = createClient(findCluster(options, context), {
    name: "tsop",
    clock: context.clock,
  });
  const rendered = await renderKustomization(join(project.root, "config/default"));
  return clusterJournals(client, rendered, context.clock);
}
