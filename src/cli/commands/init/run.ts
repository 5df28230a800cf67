/** `tsop init`: starts a project. */
import { mkdir } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { commandTable } from "../../help.ts";
import { messageOf, TsopError, UsageError } from "../../../errors.ts";
import type { CliContext } from "../../context.ts";
import { checkDomain, checkProjectName, projectNameOf } from "../../project/inputs.ts";
import { paint } from "../../output.ts";
import { carryOut, planFiles, readIfThere } from "../../project/plan.ts";
import { PROJECT_FILE } from "../../project/project-root.ts";
import { partFiles, USUAL_PARTS } from "../../project/parts.ts";
import { devContainerFiles } from "../../project/scaffold/dev-container.ts";
import { dialogFor } from "../../project/conflict-dialog.ts";
import { ask } from "../../project/ask.ts";
import { renderTemplates, scaffold } from "../../project/scaffold/scaffold.ts";
import { newRecord } from "../../project/scaffold/scaffold-record.ts";
import { RECORD_FILE } from "../../project/tsop-folder.ts";
import { tsopDependency } from "../../project/scaffold/tsop-dependency.ts";
import { runToEnd } from "../../processes.ts";
import { shellWord } from "../../shell-word.ts";
import type { Options, Run } from "../../command.ts";
import type { init } from "./flags.ts";

type InitOptions = Options<typeof init>;

/** The licence: it has the year in which the project began, and names of people. */
const LICENSE_FILE = "LICENSE";
const SPDX = { apache2: "Apache-2.0", mit: "MIT", none: "UNLICENSED" } as const;

/** Starts a project; returns the exit code. */
export const run: Run<typeof init> = async (folder, options, context, program) => {
  const root = resolve(context.cwd, folder);
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

  const dependency = await tsopDependency(root);
  const signal = context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
  if (!options.dryRun) await mkdir(root, { recursive: true });
  const parts: ReadonlyMap<string, string>[] = await Promise.all(
    USUAL_PARTS.map((part) => partFiles({ root, projectName }, part, false)),
  );
  const beside = [...parts, await licenseFile(root, options, context)];
  if (options.devContainer) beside.push(await devContainerFiles({ root, projectName }));
  const files = await scaffold({
    root,
    beside: new Map(beside.flatMap((one) => [...one])),
    template: "init",
    values: {
      projectName,
      domain,
      namespaced: options.namespaced,
      owner: options.owner ?? "",
      commands: commandTable(program),
      license: SPDX[options.license],
      tsopDependency: dependency.spec,
      tsopArchive: dependency.archive ?? "",
    },
    ifExists: options.force ? "overwrite" : { dialog: dialogFor(context, options) },
  });
  const frame = [...files].filter(([path]) => path !== PROJECT_FILE && path !== LICENSE_FILE);
  files.set(RECORD_FILE, newRecord(new Map(frame)));
  const { bold, dim, green } = paint(context);
  context.out(`${bold(projectName)} in ${root}`);
  await carryOut(await planFiles(root, files), context, options);
  if (options.dryRun) return 0;
  if (options.install) await npmInstall(root, signal, context);
  context.out(`${green("done")} Next:`);
  const toRoot = relative(context.cwd, root);
  if (toRoot !== "") context.out(`  cd ${shellWord(toRoot)}`);
  if (!options.install) context.out("  npm install");
  context.out(
    "  npx tsop create api --group web --version v1 --kind MyWeb --field image:string=nginx",
  );
  if (dependency.outside !== undefined) {
    context.err(
      dim(
        `  the project depends on ${dependency.outside}, which \`docker build\` cannot read: depend on a released tsop before you build an image`,
      ),
    );
  }
  return 0;
};

/** `LICENSE`, by its path; none where the code is not licensed to others. */
async function licenseFile(
  root: string,
  { license, owner }: InitOptions,
  { clock }: CliContext,
): Promise<ReadonlyMap<string, string>> {
  if (license === "none") return new Map();
  return renderTemplates({
    root,
    template: `license/${license}`,
    values: { year: new Date(clock.now()).getUTCFullYear(), holder: owner ?? "the authors" },
  });
}

async function askForDomain(context: CliContext): Promise<string> {
  if (context.interactive) {
    context.doing(undefined);
    return ask("Domain that your API groups end in, such as example.com:", "");
  }
  throw new UsageError(
    "missing-domain",
    "--domain is missing. It is the suffix of your kinds' API groups.",
    "For example: tsop init --domain example.com",
  );
}

async function npmInstall(root: string, signal: AbortSignal, context: CliContext): Promise<void> {
  const { dim } = paint(context);
  context.err(dim("  npm install ..."));
  const began = context.clock.monotonicMs();
  try {
    await runToEnd(
      {
        program: "npm",
        args: ["install", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd: root,
        env: context.env,
      },
      { signal, context },
    );
  } catch (error) {
    throw new TsopError(
      "npm-install-failed",
      `The project is written, but its packages are not installed: ${messageOf(error)}`,
      `Run \`npm install\` in ${root} when the registry can be reached.`,
      { cause: error },
    );
  }
  const seconds = ((context.clock.monotonicMs() - began) / 1000).toFixed(1);
  context.err(dim(`  npm install took ${seconds} s`));
}
