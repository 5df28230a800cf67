/**
 * `tsop why`: which change led to which reconcile, and that to which write.
 *
 * @module
 */
import { join } from "node:path";
import { TsopError, UsageError } from "../../errors.ts";
import { createClient } from "../../runtime/client/create-client.ts";
import type { JournalEntry } from "../../runtime/journal/entry.ts";
import type { JournalAnswer } from "../../runtime/manager/debug-server.ts";
import { findCluster, type ClusterOptions } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { clusterJournals } from "../journal/cluster-journal.ts";
import { placeOfDev, readJournal } from "../journal/journal-place.ts";
import { reasonsFor } from "../journal/reasons.ts";
import { reasonLines } from "../journal/reasons-text.ts";
import { parseTarget } from "../journal/target.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { getProject } from "../project/project-file.ts";

/** The flags of `tsop why`. */
export interface WhyOptions extends ClusterOptions {
  readonly namespace?: string;
  /** The address of a debug endpoint. */
  readonly operator?: string;
  readonly last: number;
  readonly all: boolean;
  readonly output?: "json";
}

/** Prints it; returns 0. */
export async function why(
  target: string,
  options: WhyOptions,
  context: CliContext,
): Promise<number> {
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

async function journals(options: WhyOptions, context: CliContext): Promise<JournalAnswer[]> {
  const { operator, kubeconfig } = options;
  if (operator !== undefined) {
    const token = context.env["TSOP_OPERATOR_TOKEN"];
    if (!URL.canParse(operator) || !/^https?:/.test(operator)) {
      throw new UsageError(
        "bad-operator-address",
        `${JSON.stringify(operator)} is not an address of a debug endpoint.`,
        "For example: --operator http://127.0.0.1:8089",
      );
    }
    return [
      await readJournal(
        { url: operator, ...(token === undefined ? {} : { token }) },
        context.clock,
      ),
    ];
  }
  const project = await getProject(context.cwd);
  if (kubeconfig === undefined && options.context === undefined) {
    const place = placeOfDev(project.root);
    if (place) return [await readJournal(place, context.clock)];
    throw new TsopError(
      "no-operator-to-ask",
      "No `tsop dev` of this project runs here.",
      "Start `tsop dev`, or name an operator elsewhere: --context for one in a cluster, --operator for an address.",
    );
  }
  const client = createClient(findCluster(options, context), {
    name: "tsop",
    clock: context.clock,
  });
  const rendered = await renderKustomization(join(project.root, "config/default"));
  return clusterJournals(client, rendered, context.clock);
}
