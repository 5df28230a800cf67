/**
 * `tsop init`: a folder becomes a project.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { messageOf, TsopError, UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { checkDomain, checkProjectName, projectNameOf } from "../project/inputs.ts";
import { isSourceCheckout, packageRoot, packageVersion } from "../package-info.ts";
import { paint } from "../output.ts";
import { carryOut, planFiles, readIfThere, type PlanOptions } from "../project/plan.ts";
import { PROJECT_FILE } from "../project/project-root.ts";
import { ask, scaffold } from "../project/scaffold.ts";

/** The flags of `tsop init`. */
export interface InitOptions extends PlanOptions {
  readonly folder: string;
  readonly domain?: string;
  readonly projectName?: string;
  readonly owner?: string;
  readonly license: "apache2" | "mit" | "none";
  readonly namespaced: boolean;
  readonly force: boolean;
  readonly install: boolean;
}

const SPDX = { apache2: "Apache-2.0", mit: "MIT", none: "UNLICENSED" } as const;

/** Starts a project; returns the exit code. */
export async function init(options: InitOptions, context: CliContext): Promise<number> {
  const root = resolve(context.cwd, options.folder);
  if ((await readIfThere(join(root, PROJECT_FILE))) !== undefined) {
    throw new UsageError(
      "already-a-project",
      `${root} already is a project: it has a ${PROJECT_FILE} file.`,
      "Add a kind to it with `tsop create api`, or start the new project in another folder.",
    );
  }
  const projectName = options.projectName ?? projectNameOf(basename(root));
  checkProjectName(projectName);
  const domain = options.domain ?? (await askForDomain(context));
  checkDomain(domain);

  context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
  if (!options.dryRun) await mkdir(root, { recursive: true });
  const files = await scaffold(
    {
      root,
      template: "init",
      values: {
        projectName,
        domain,
        namespaced: options.namespaced,
        owner: options.owner ?? "",
        license: SPDX[options.license],
        tsopDependency: tsopDependency(),
      },
      ifExists: options.force ? "overwrite" : "ask",
    },
    context,
  );
  const { bold, green } = paint(context);
  context.out(`${bold(projectName)} in ${root}`);
  await carryOut(await planFiles(root, files), context, options);
  if (options.dryRun) return 0;
  if (options.install) await npmInstall(root, context);
  context.out(`${green("done")} Next:`);
  const folder = relative(context.cwd, root);
  if (folder !== "") context.out(`  cd ${folder}`);
  if (!options.install) context.out("  npm install");
  context.out(
    "  npx tsop create api --group web --version v1 --kind MyWeb --field image:string=nginx",
  );
  return 0;
}

async function askForDomain(context: CliContext): Promise<string> {
  if (context.interactive) {
    return ask("Domain that your API groups end in, such as example.com:", "");
  }
  throw new UsageError(
    "missing-domain",
    "--domain is missing: the API groups of your kinds end in it.",
    "For example: tsop init --domain example.com",
  );
}

/** A checkout of the source is depended on as it is, so that everything works before a release. */
function tsopDependency(): string {
  return isSourceCheckout() ? `file:${packageRoot()}` : `^${packageVersion()}`;
}

async function npmInstall(root: string, context: CliContext): Promise<void> {
  const { dim } = paint(context);
  context.err(dim("  npm install ..."));
  const began = context.clock.monotonicMs();
  try {
    await new Promise<void>((done, failed) => {
      const child = spawn("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32",
      });
      child.once("error", failed);
      child.once("exit", (code) => {
        if (code === 0) done();
        else failed(new Error(`npm exited with ${code ?? "a signal"}`));
      });
    });
  } catch (error) {
    throw new TsopError(
      "npm-install-failed",
      `The project is written, but its packages are not installed: ${messageOf(error)}.`,
      `Run \`npm install\` in ${root} when the registry can be reached.`,
      { cause: error },
    );
  }
  const seconds = ((context.clock.monotonicMs() - began) / 1000).toFixed(1);
  context.err(dim(`  npm install took ${seconds} s`));
}
