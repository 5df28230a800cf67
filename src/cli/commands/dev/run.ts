/** `tsop dev`: runs a control plane and the operator, and reloads it on every save. */
import { join } from "node:path";
import { startControlPlane } from "../../../controlplane/control-plane.ts";
import { SourceError, TsopError } from "../../../errors.ts";
import type { CliContext } from "../../context.ts";
import { DevKeys } from "../../operator/dev/dev-keys.ts";
import { DevSession } from "../../operator/dev/dev-session.ts";
import { TypeChecker } from "../../operator/dev/type-checker.ts";
import { checkPort } from "../../project/inputs.ts";
import { paint, reportError } from "../../output.ts";
import { endingOf } from "../../processes.ts";
import { KubeconfigClaim } from "../../project/own-kubeconfig.ts";
import { ADMIN_KUBECONFIG } from "../../../project-folder.ts";
import {
  getProject,
  isSameKind,
  type Project,
  type ProjectResource,
} from "../../project/project-file.ts";
import { SourceWatch } from "../../operator/watch-sources.ts";
import type { Options, Run } from "../../command.ts";
import type { dev } from "./flags.ts";

type DevOptions = Options<typeof dev> & { readonly args: readonly string[] };

const SAVE_AGAIN = "Fix the errors above and save. The previous build keeps running.";
/** The time that `--once` gives the operator. */
const READY_SECONDS = 60;

export const run: Run<typeof dev> = async (args, options, context) => {
  checkPort(options.port);
  const project = await getProject(context.cwd);
  const claim = KubeconfigClaim.take(join(project.root, ADMIN_KUBECONFIG));
  try {
    return await develop({ project, claim }, { ...options, args }, context);
  } finally {
    claim.release();
  }
};

async function develop(
  { project, claim }: { readonly project: Project; readonly claim: KubeconfigClaim },
  options: DevOptions,
  context: CliContext,
): Promise<number> {
  const quit = new AbortController();
  const signal = AbortSignal.any([context.untilInterrupted(), quit.signal]);
  const began = context.clock.monotonicMs();
  const controlPlane = await startControlPlane({
    port: options.port,
    podTiming: "real",
    clock: context.clock,
  });
  const session = new DevSession(project, controlPlane, context, options);
  const keys = new DevKeys({ root: project.root, session, quit: quit.abort.bind(quit) }, context);
  try {
    claim.write(controlPlane.kubeconfig);
    const { bold, green } = paint(context);
    context.out(
      `${bold("control plane")}  ${controlPlane.url} (embedded)  ${green("ready")} in ${sinceMs(context, began)} ms  kubeconfig ${ADMIN_KUBECONFIG}`,
    );
    if (options.once) await once(session, options, context);
    else {
      await session.page.start();
      await keepUp({ project, session, keys, signal }, options, context);
    }
    return 0;
  } finally {
    keys.stop();
    await session.stop();
    await controlPlane.stop();
  }
}

/**
 * Starts the operator, and waits until its controllers run.
 *
 * @throws TsopError `operator-ended` or `operator-not-ready`
 */
async function once(session: DevSession, options: DevOptions, context: CliContext): Promise<void> {
  const { clock } = context;
  const began = clock.monotonicMs();
  const late = new AbortController();
  const ready = new Promise<void>((resolve, reject) => {
    const ended = (code: number | undefined): void => {
      reject(
        new TsopError(
          "operator-ended",
          `The operator ${endingOf(code)} before its controllers ran.`,
          "See its last lines above.",
        ),
      );
    };
    session.reload({ ready: resolve, ended }).catch(reject);
    clock.sleep(READY_SECONDS * 1000, late.signal).then(
      () => {
        reject(
          new TsopError(
            "operator-not-ready",
            `The controllers did not start within ${READY_SECONDS} s.`,
            "The operator's output above shows what they are waiting for.",
          ),
        );
      },
      () => undefined,
    );
  });
  await ready.finally(() => {
    late.abort();
  });
  context.out(`${paint(context).bold("operator")}       ready in ${sinceMs(context, began)} ms`);
  if (options.samples) await session.applySamples();
}

interface Running {
  readonly project: Project;
  readonly session: DevSession;
  readonly keys: DevKeys;
  readonly signal: AbortSignal;
}

/** Starts the operator, and reloads it on every save, until the signal aborts. */
async function keepUp(
  { project, session, keys, signal }: Running,
  options: DevOptions,
  context: CliContext,
): Promise<void> {
  const { bold, dim, green } = paint(context);
  const told = new Set<string>();
  let mistakes = "";
  const reload = async (what: string): Promise<void> => {
    const from = context.clock.monotonicMs();
    told.clear();
    try {
      const ready = (): void => {
        context.out(`${bold("operator")}       ${green(what)} in ${sinceMs(context, from)} ms`);
      };
      await session.reload({ ready });
      session.page.tellMistakes([]);
      mistakes = "";
    } catch (error) {
      // The operator from before the save goes on; the mistake is shown until it is gone.
      if (error instanceof SourceError) {
        for (const { file, line } of error.diagnostics) told.add(`${file}:${line}`);
      }
      const lines: string[] = [];
      const err = (line: string): void => void lines.push(line);
      reportError(error, { ...context, color: false, err }, SAVE_AGAIN);
      session.page.tellMistakes(lines);
      // Some saves come as two: an editor that renames a file writes it, then removes the old name.
      const isTold = mistakes === lines.join("\n");
      mistakes = lines.join("\n");
      if (isTold)
        context.err(dim("  the errors are the same as above; the previous build keeps running"));
      else reportError(error, context, SAVE_AGAIN);
    }
  };
  const opening = SourceWatch.open(project.root, context.clock);
  opening.catch(() => undefined);
  await reload("ready");
  if (options.samples)
    await session.applySamples().catch((error: unknown) => reportError(error, context));
  const watch = await opening;
  sayWhatIsNext(project, options, context);
  keys.start();
  const types = options.types
    ? TypeChecker.start(project.root, context, (place) => told.has(place))
    : undefined;
  try {
    await watch.run(signal, () => reload("reloaded"));
  } finally {
    types?.stop();
  }
}

/**
 * A line for each kind that no controller reconciles, with the command that adds one. One version's controller
 * serves all versions of its kind.
 */
export function unreconciled(resources: readonly ProjectResource[]): string[] {
  const alone = resources.filter(
    (one, index) =>
      one.api &&
      !resources.some((other) => other.controller && isSameKind(one, other)) &&
      resources.findLastIndex((other) => other.api && isSameKind(one, other)) === index,
  );
  return alone.map(({ group, version, kind }) => {
    const named = `${group === "" ? "" : `--group ${group} `}--version ${version} --kind ${kind}`;
    return `nothing reconciles ${kind} yet: \`tsop create api ${named} --no-resource\` adds it`;
  });
}

function sayWhatIsNext(project: Project, { samples }: DevOptions, context: CliContext): void {
  const { dim } = paint(context);
  for (const line of unreconciled(project.resources)) context.err(dim(`  ${line}`));
  if (!samples) {
    context.err(dim(`  kubectl --kubeconfig ${ADMIN_KUBECONFIG} apply -k config/samples`));
    context.err(dim("  without kubectl: `tsop dev --samples` applies them at the start"));
  }
  context.err(dim("  watching src; Ctrl-C to stop"));
}

function sinceMs(context: CliContext, began: number): number {
  return Math.round(context.clock.monotonicMs() - began);
}
