/** `tsop image`: builds the operator image, with or without a container engine. */
import { basename, relative, resolve } from "node:path";
import { messageOf, TsopError, UsageError } from "../../../errors.ts";
import type { CliContext } from "../../context.ts";
import { withoutPrograms } from "../../git.ts";
import { splitImage } from "../../../kube/text/image-name.ts";
import { bundledOperator } from "../../operator/bundle.ts";
import { imageArchive } from "../../packaging/oci/image.ts";
import { readLayout } from "../../packaging/oci/layout.ts";
import { packageFacts } from "../../project/package-facts.ts";
import { billOfMaterials } from "../../packaging/sbom.ts";
import { writeWhole } from "../../packaging/whole-file.ts";
import { runToEnd } from "../../processes.ts";
import { checkImage } from "../../project/inputs.ts";
import { applyPlan, planFiles } from "../../project/plan.ts";
import { getProject } from "../../project/project-file.ts";
import type { Options, Run } from "../../command.ts";
import type { image } from "./flags.ts";

type ImageOptions = Options<typeof image>;

export const run: Run<typeof image> = async (options, context) => {
  const { base, platform } = options;
  checkImage(options.image);
  if (base === undefined) return buildByEngine(options, context);
  if (platform !== undefined) {
    throw new UsageError(
      "image-platform",
      "--platform is for a build by docker: with --base, the image has the platforms of the base.",
      "Omit one of the two flags.",
    );
  }
  return writeOnBase({ ...options, base }, context);
};

const BUNDLE = "dist/main.mjs";
const PARTS = "dist/main.cdx.json";

async function writeOnBase(
  { image: name, base, output, dryRun }: ImageOptions & { readonly base: string },
  context: CliContext,
): Promise<number> {
  const { root, projectName } = await getProject(context.cwd);
  const bases = await readLayout(resolve(context.cwd, base), base);
  const archive = resolve(context.cwd, output);
  const platforms = bases.map(({ platform }) => `${platform.os}/${platform.architecture}`);
  if (dryRun) {
    context.out(`${output}  ${name} for ${platforms.join(", ")}`);
    return 0;
  }
  const { files: operator, inputs } = await bundledOperator(root, BUNDLE);
  const { version } = await packageFacts(root, projectName);
  const parts = await billOfMaterials(root, inputs, { name: projectName, version });
  const files = new Map([...operator, [PARTS, parts]]);
  await applyPlan(await planFiles(root, files), context);
  const { tag } = splitImage(name);
  const content = imageArchive({
    bases,
    name,
    tag: tag === "" ? "latest" : tag,
    created: createdAt(context),
    labels: {
      "org.opencontainers.image.title": projectName,
      "org.opencontainers.image.version": version,
    },
    files: new Map([...files].map(([path, text]) => [basename(path), Buffer.from(text)])),
  });
  await writeWhole(archive, content);
  const shown = relative(context.cwd, archive);
  context.out(`${shown}  ${Math.ceil(content.length / 1024)} kB  ${platforms.join(", ")}`);
  context.out(`  docker load -i ${shown}`);
  context.out(`  crane push ${shown} ${name}`);
  return 0;
}

/** The time of creation, from `SOURCE_DATE_EPOCH` (https://reproducible-builds.org/docs/source-date-epoch/). */
function createdAt({ env }: CliContext): string {
  const seconds = Number(env["SOURCE_DATE_EPOCH"] ?? 0);
  if (Number.isSafeInteger(seconds) && seconds >= 0 && seconds < 253_402_300_800) {
    return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  }
  throw new UsageError(
    "image-date",
    `SOURCE_DATE_EPOCH is ${JSON.stringify(env["SOURCE_DATE_EPOCH"])}, which is not a number of seconds.`,
    "For example: SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)",
  );
}

const WITHOUT_ENGINE =
  "Without docker and podman, tsop builds the image on a base image: `tsop image --image NAME --base base.tar`; see node_modules/tsop/docs/packaging.md.";

/** Has docker or podman build the Dockerfile. */
async function buildByEngine(
  { image: name, platform, dryRun }: ImageOptions,
  context: CliContext,
): Promise<number> {
  const { root } = await getProject(context.cwd);
  const engine = await findEngine(root, context);
  const args =
    engine === "docker" && platform !== undefined
      ? ["buildx", "build", "--platform", platform, "-t", name, "."]
      : ["build", ...(platform === undefined ? [] : ["--platform", platform]), "-t", name, "."];
  context.out(`${engine} ${args.join(" ")}`);
  if (dryRun) return 0;
  const signal = context.untilInterrupted();
  try {
    // Otherwise buildx runs git in the project, and git the programs that the project's config names.
    const env = withoutPrograms({ ...context.env, BUILDX_GIT_INFO: "0" });
    await runToEnd({ program: engine, args, cwd: root, env }, { signal, context });
  } catch (error) {
    throw new TsopError(
      "image-not-built",
      `The image was not built: ${messageOf(error)}`,
      `Fix what ${engine} reports, then run the command again. ${WITHOUT_ENGINE}`,
      { cause: error },
    );
  }
  return 0;
}

async function findEngine(cwd: string, context: CliContext): Promise<string> {
  for (const program of ["docker", "podman"]) {
    try {
      await runToEnd({ program, args: ["--version"], cwd, env: context.env }, { context });
      return program;
    } catch (error) {
      if (!(error instanceof TsopError)) throw error;
    }
  }
  throw new TsopError(
    "image-no-engine",
    "The Dockerfile is built by docker or podman, and neither runs here.",
    `Install one: https://docs.docker.com/get-started/get-docker, https://podman.io/docs/installation. ${WITHOUT_ENGINE}`,
  );
}
