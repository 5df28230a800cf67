/** The webhook configurations and CRDs of a project, while a `tsop run` answers them: redirected, and put back. */
import type { KubeObject, ManifestObject } from "../../kube/object.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import type { ClusterSession } from "./cluster-session.ts";
import { marked, notOurs, standingOf } from "./ownership.ts";
import { asBefore, madeByRun, redirected, runThatAnswers, type Run } from "./redirection.ts";

/** The number of tries on an object that somebody else writes at the same moment. */
const TRIES = 5;

/** A project's run. */
export interface AnsweringRun extends Run {
  readonly owner: string;
}

/**
 * Redirects the API server's webhook requests for an object to a run.
 *
 * @param wanted - with the address of the run
 * @returns whom it was taken from, when another run answered before
 * @throws TsopError `not-ours`
 */
export async function redirectToRun(
  session: ClusterSession,
  wanted: ManifestObject,
  { owner, id, by }: AnsweringRun,
): Promise<string | undefined> {
  const run = { id, by };
  return despiteConflicts(async () => {
    const live = await session.find(wanted);
    const standing = standingOf(live, owner);
    if (live && standing === "foreign") {
      throw notOurs([{ name: await session.describe(wanted), live }], "it is left unchanged");
    }
    if (!live) {
      await session.apply(marked(madeByRun(run, wanted), standing, owner), { dryRun: false });
      return undefined;
    }
    // The mark, too: what tsop changes has to be told from what others made.
    await session.change(live, marked(redirected(live, wanted, run), standing, owner));
    return runThatAnswers(live)?.by;
  });
}

/** Undoes `redirectToRun`, if it still holds: an object that it made is deleted, one that it changed is as before. */
export async function putBackFromRun(
  session: ClusterSession,
  object: ManifestObject,
  { id }: AnsweringRun,
): Promise<void> {
  await despiteConflicts(async () => {
    const live = await session.find(object);
    if (live && runThatAnswers(live)?.id === id) await putBack(session, live);
  });
}

/**
 * Restores an object that a run changed, whether that run still answers or not, before a roll-out
 * changes the object.
 */
export async function takeBackFromRuns(
  session: ClusterSession,
  object: ManifestObject,
  context: CliContext,
): Promise<void> {
  await despiteConflicts(async () => {
    const live = await session.find(object);
    const run = live && runThatAnswers(live);
    if (!run) return;
    const before = asBefore(live);
    if (before) await session.change(live, before);
    const note = `${await session.describe(object)} was answered by \`tsop run\` on ${run.by}, and no longer is`;
    context.err(`${paint(context).yellow("note")} ${note}`);
  });
}

async function putBack(session: ClusterSession, live: KubeObject): Promise<void> {
  const before = asBefore(live);
  if (before) await session.change(live, before);
  else await session.remove(live);
}

async function despiteConflicts<T>(change: () => Promise<T>): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await change();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}
