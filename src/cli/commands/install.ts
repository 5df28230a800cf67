/**
 * `tsop install` and `tsop uninstall`: the CRDs alone.
 *
 * @module
 */
import { join } from "node:path";
import { openCluster, type ClusterOptions } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { paint } from "../output.ts";
import { getProject } from "../project/project-file.ts";
import { removeAll } from "../cluster/removal.ts";
import { applyAll } from "../cluster/roll-out.ts";
import { checkTimeout } from "../project/inputs.ts";
import { writeManifests } from "./manifests.ts";

/** The flags of `tsop install`. */
export interface InstallOptions extends ClusterOptions {
  readonly dryRun: boolean;
  readonly timeout: number;
}

/** Applies the CRDs and waits until they are served; returns the exit code. */
export async function install(options: InstallOptions, context: CliContext): Promise<number> {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const plan = await writeManifests(project, context, { dryRun: options.dryRun });
  const crds = await renderKustomization(join(project.root, "config/crd"), { plan });
  context.out(`${paint(context).bold("install")} at ${session.server}`);
  await applyAll(session, crds, rollOutOptions(options), context);
  return 0;
}

/** Removes the CRDs; returns the exit code. */
export async function uninstall(
  options: InstallOptions & { readonly deleteObjects: boolean },
  context: CliContext,
): Promise<number> {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const crds = await renderKustomization(join(project.root, "config/crd"));
  context.out(`${paint(context).bold("uninstall")} at ${session.server}`);
  const { deleteObjects } = options;
  await removeAll(session, crds, { ...rollOutOptions(options), deleteObjects }, context);
  return 0;
}

function rollOutOptions({ dryRun, timeout }: InstallOptions): {
  dryRun: boolean;
  timeoutSeconds: number;
} {
  return { dryRun, timeoutSeconds: timeout };
}
