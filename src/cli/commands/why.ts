/** `tsop why`: which change led to which reconcile, and that to which write. */
import { join } from "node:path";
import { UsageError } from "../../errors.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import type { JournalEntry } from "../../runtime/journal/entry.ts";
import { findCluster } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { clusterJournals } from "../journal/cluster-journal.ts";
import { placeOfDev, readJournal, type OperatorJournal } from "../journal/journal-place.ts";
import { reasonsFor } from "../journal/reasons.ts";
import { reasonLines } from "../journal/reasons-text.ts";
import { noOperatorToAsk, operatorPlace, type WhyOptions } from "../journal/asked-operator.ts";
import { parseTarget } from "../journal/target.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { getProject } from "../project/project-file.ts";

/** Prints the reconciles, or serves them as a page until it is interrupted; returns 0. */
export async function why(
  target: string | undefined,
  options: WhyOptions,
  context: CliContext,
): Promise<number> {
  if (options.page) {
    const { whyPage } = await import("./why-page.ts");
    return whyPage(target, options, context);
  }
  const { namespace, last, all, output } = options;
  const asked = parseTarget(target, namespace);
  if (!Number.isInteger(last) || last < 1) {
    throw new UsageError(
      "bad-last",
      "--last has to be a whole number from 1.",
      "For example: --last 20",
    );
  }
  const answers = await journals(options, context);
  const entries: JournalEntry[] = answers.flatMap((answer) => answer.entries);
  const reasons = reasonsFor(asked, entries, { last, all });
  if (output === "json") context.out(JSON.stringify(reasons, undefined, 2));
  else for (const line of reasonLines(reasons, context)) context.out(line);
  return 0;
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
