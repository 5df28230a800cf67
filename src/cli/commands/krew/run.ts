/** `tsop krew`: writes the archive of a kubectl plugin and its krew manifest. */
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix, relative } from "node:path";
import { UsageError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import type { CliContext } from "../../context.ts";
import { packageFacts } from "../../project/package-facts.ts";
import { krewArchive, krewManifest } from "../../packaging/krew.ts";
import { isSemanticVersion } from "../../packaging/semantic-version.ts";
import { writeWhole } from "../../packaging/whole-file.ts";
import { carryOut, planFiles, readIfThere } from "../../project/plan.ts";
import { builtPlugin } from "../../operator/built-plugins.ts";
import { PACKAGE_FILE } from "../../project/plugins/package-bin.ts";
import { PROGRAMS, programOf } from "../../project/plugins/plugin-names.ts";
import { getProject, type Project } from "../../project/project-file.ts";
import { alone } from "../../project/project-lock.ts";
import { runToEnd } from "../../processes.ts";
import type { Run } from "../../command.ts";
import type { krew } from "./flags.ts";

const FOLDER = "dist/krew";

export const run: Run<typeof krew> = async (name, options, context) => {
  const { root } = await getProject(context.cwd);
  return alone(root, options, context, async () => {
    const project = await getProject(root);
    const plugin = pluginOf(project, name);
    const license = await readIfThere(join(root, "LICENSE"));
    if (license === undefined) {
      throw new UsageError(
        "no-license",
        "There is no LICENSE in the project, and krew's index does not accept a plugin without one.",
        "Add the file; `tsop init --license apache2` and `--license mit` write one.",
      );
    }
    const { version, links } = await packageFacts(root, project.projectName);
    checkVersion(version);
    const built = await builtPlugin(project, plugin);
    const archiveName = `${programOf(plugin)}-v${version}.tar.gz`;
    const archive = krewArchive(new Map([...inFolder(built), ["LICENSE", license]]));
    const repository = await repositoryOf(root);
    const uri = required(
      "uri",
      options.uri ?? (repository && `${repository}/releases/download/v${version}/${archiveName}`),
    );
    const manifest = krewManifest({
      name: plugin,
      version,
      summary: await summaryOf(built, plugin, context),
      homepage: required("homepage", options.homepage ?? links[0]?.url ?? repository),
      uri,
      sha256: createHash("sha256").update(archive).digest("hex"),
      files: [...inFolder(built).keys(), "LICENSE"],
    });
    const plan = await planFiles(root, new Map([[`${FOLDER}/${plugin}.yaml`, manifest]]));
    // The archive first: the manifest names its digest.
    if (!options.dryRun) await writeWhole(join(root, FOLDER, archiveName), archive);
    await carryOut(plan, context, options);
    const shown = relative(context.cwd, join(root, FOLDER)) || ".";
    context.out(`  ${shown}/${archiveName}  ${Math.ceil(archive.length / 1024)} kB, for ${uri}`);
    if (!options.dryRun) {
      const local = `--manifest=${shown}/${plugin}.yaml --archive=${shown}/${archiveName}`;
      context.out(`  kubectl krew install ${local}`);
    }
    return 0;
  });
};

/** The version is part of the path of the archive. */
function checkVersion(version: string): void {
  if (isSemanticVersion(version)) return;
  throw new UsageError(
    "krew-version",
    `\`version\` in package.json is ${JSON.stringify(version)}: krew accepts only semantic versions.`,
    'Change it, for example to "0.1.0".',
  );
}

/** The plugin that was named; the one that the project has, where it has one alone. */
function pluginOf({ plugins }: Project, name: string | undefined): string {
  const [only, ...others] = plugins;
  if (!only) {
    throw new UsageError(
      "no-plugins",
      "The project has no kubectl plugin.",
      "Add one: tsop create plugin webs",
    );
  }
  if (name === undefined && others.length === 0) return only.name;
  const found = plugins.find((one) => one.name === name);
  if (found) return found.name;
  throw new UsageError(
    "which-plugin",
    name === undefined
      ? "The name of the plugin is missing."
      : `The project has no plugin ${name}.`,
    `Name one of these: ${plugins.map((one) => one.name).join(", ")}`,
  );
}

/** @throws UsageError `krew-homepage`, `krew-uri` */
function required(flag: "homepage" | "uri", value: string | undefined): string {
  if (value === undefined) {
    throw new UsageError(
      `krew-${flag}`,
      flag === "uri"
        ? "The download address of the archive is missing."
        : "krew's index requires a home page, but the plugin does not have one.",
      `Add --${flag}, or a repository on GitHub to package.json: "repository": "github:acme/web-operator"`,
    );
  }
  if (/^https:\/\/[^\s/]+/.test(value)) return value;
  throw new UsageError(
    `krew-${flag}`,
    `--${flag} ${JSON.stringify(value)} is not an https:// URL.`,
    `For example: --${flag} https://example.com/${flag === "uri" ? "kubectl-webs.tar.gz" : "webs"}`,
  );
}

/** The page of the project's repository on GitHub, as package.json names it. */
async function repositoryOf(root: string): Promise<string | undefined> {
  const said: unknown = JSON.parse((await readIfThere(join(root, PACKAGE_FILE))) ?? "{}");
  const named = isJsonObject(said) ? said["repository"] : undefined;
  const url = isJsonObject(named) ? named["url"] : named;
  if (typeof url !== "string") return undefined;
  const [, path] =
    /^(?:github:|(?:git\+)?https:\/\/github\.com\/)?([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url) ?? [];
  return path === undefined ? undefined : `https://github.com/${path}`;
}

/** The line about a plugin, which the program itself says. */
async function summaryOf(
  built: ReadonlyMap<string, string>,
  name: string,
  context: CliContext,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tsop-plugin-"));
  try {
    const program = join(folder, programOf(name));
    await writeFile(program, built.get(`${PROGRAMS}/${programOf(name)}`) ?? "");
    const call = { program: process.execPath, args: [program, "__about"], cwd: folder };
    const said: unknown = JSON.parse(await runToEnd({ ...call, env: context.env }, { context }));
    const summary = isJsonObject(said) ? said["summary"] : undefined;
    return typeof summary === "string" ? summary : "";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files without their folder, as the archive has them. */
const inFolder = (built: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...built].map(([path, text]) => [posix.basename(path), text]));
