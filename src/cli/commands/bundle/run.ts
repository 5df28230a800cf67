/** `tsop bundle`: generates an OLM bundle from `config/default`. */
import { readdir } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { TsopError, UsageError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import type { JsonObject, ManifestObject } from "../../../kube/object.ts";
import type { CliContext } from "../../context.ts";
import { imageOverride } from "../../cluster/operator-image.ts";
import type { ImageOverride } from "../../kustomize/kustomization.ts";
import { readManifests } from "../../kustomize/manifests.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { SourceFiles } from "../../kustomize/source-files.ts";
import { tellNotes } from "../../output.ts";
import { packageVersion } from "../../package-info.ts";
import { planGeneratedFolder } from "../../packaging/generated-folder.ts";
import { bundleFiles } from "../../packaging/olm/bundle.ts";
import type { VersionSettings } from "../../packaging/olm/cluster-service-version.ts";
import { isSemanticVersion } from "../../packaging/semantic-version.ts";
import { packageFacts } from "../../project/package-facts.ts";
import { checkImage } from "../../project/inputs.ts";
import {
  findOperatorDeployment,
  isPlaceholderImage,
  operatorContainer,
  withOperatorImage,
} from "../../project/operator-deployment.ts";
import { type Plan, readIfThere } from "../../project/plan.ts";
import type { Project } from "../../project/project-file.ts";
import { SAMPLES, SAMPLES_LIST } from "../../project/samples.ts";
import { parseUserYaml } from "../../project/yaml/user-yaml.ts";
import { plannedManifests } from "../../project/generated-manifests.ts";
import { writePackage } from "../../packaging/write-package.ts";
import { present } from "../../../present.ts";
import { tableOf } from "../../../table.ts";
import type { Options, Run } from "../../command.ts";
import type { bundle } from "./flags.ts";
import { readRegularFile } from "../../../regular-file.ts";

type BundleOptions = Options<typeof bundle>;

export const run: Run<typeof bundle> = async (options, context) => {
  const { image, outputDir } = options;
  if (image !== undefined) checkImage(image);
  if (options.version !== undefined) checkVersion("--version", options.version);
  const channels = channelsOf(options);
  return writePackage({ ...options, what: "bundle" }, context, async (project) => {
    const { root, projectName } = project;
    const plan = await plannedManifests(project, context);
    const objects = await objectsOf({ project, plan, options }, context);
    const facts = await packageFacts(root, projectName);
    const version = options.version ?? facts.version;
    checkVersion("`version` in package.json", version);
    const files = bundleFiles({
      ...channels,
      projectName,
      version,
      facts,
      objects,
      base: await readBase(project),
      settings: await settingsOf(options, projectName, context),
      samples: await readSamples(root),
      builder: `tsop-v${packageVersion()}`,
      folder: outputDir,
    });
    return planGeneratedFolder(root, outputDir, files, options);
  });
};

interface Bundled {
  readonly project: Project;
  readonly plan: Plan;
  readonly options: BundleOptions;
}

/** The objects of `config/default` with the image. Without `--image`, a placeholder does not replace the bundle's image. */
async function objectsOf(
  { project: { root, projectName }, plan, options }: Bundled,
  context: CliContext,
): Promise<ManifestObject[]> {
  const render = (images: readonly ImageOverride[]): Promise<ManifestObject[]> =>
    renderKustomization(join(root, "config/default"), { plan, images });
  const withImage = async (image: string): Promise<ManifestObject[]> =>
    withOperatorImage(await render([imageOverride(image)]), projectName, image);
  if (options.image !== undefined) return withImage(options.image);
  const objects = await render([]);
  const operator = findOperatorDeployment(objects, projectName);
  const image = operator && operatorContainer(operator)?.image;
  if (image === undefined || !isPlaceholderImage(image)) return objects;
  const kept = await formerImage(join(root, options.outputDir), projectName);
  if (kept === undefined) {
    tellNotes(
      [`the bundle has the placeholder ${image} as its image. Pass --image before you publish it.`],
      context,
    );
    return objects;
  }
  tellNotes([`the image stays ${kept}, as the bundle has it. Pass --image to change it.`], context);
  return withImage(kept);
}

/** The image of the bundle that is there; `undefined` where it has none, or the placeholder. */
async function formerImage(folder: string, projectName: string): Promise<string | undefined> {
  const path = `manifests/${projectName}.clusterserviceversion.yaml`;
  const text = await readIfThere(join(folder, path));
  if (text === undefined) return undefined;
  const { value } = parseUserYaml(path, text, "bundle-base");
  const metadata = isJsonObject(value) ? value["metadata"] : undefined;
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  const image = isJsonObject(annotations) ? annotations["containerImage"] : undefined;
  return typeof image === "string" && image !== "" && !isPlaceholderImage(image)
    ? image
    : undefined;
}

function checkVersion(what: string, version: string): void {
  if (isSemanticVersion(version)) return;
  throw new UsageError(
    "bundle-version",
    `${what} is ${JSON.stringify(version)}: OLM takes semantic versions only.`,
    "For example: tsop bundle --version 0.1.0",
  );
}

function channelsOf({ channels: text, defaultChannel }: BundleOptions): {
  readonly channels: readonly string[];
  readonly defaultChannel: string;
} {
  const channels = text.split(",");
  const wrong = channels.find(
    (channel) => !/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(channel),
  );
  if (wrong !== undefined) {
    throw new UsageError(
      "bundle-channel",
      `--channels has ${JSON.stringify(wrong)}, which is not a channel's name.`,
      "For example: --channels stable,candidate",
    );
  }
  const first = defaultChannel ?? channels[0] ?? "";
  if (!channels.includes(first)) {
    throw new UsageError(
      "bundle-channel",
      `--default-channel ${first} is not one of the channels ${channels.join(", ")}.`,
      `For example: --channels ${[...channels, first].join(",")} --default-channel ${first}`,
    );
  }
  return { channels, defaultChannel: first };
}

/** The user's own part of the ClusterServiceVersion, where operator-sdk has it. */
async function readBase({ root, projectName }: Project): Promise<JsonObject | undefined> {
  const path = `config/manifests/bases/${projectName}.clusterserviceversion.yaml`;
  const text = await readIfThere(join(root, path));
  if (text === undefined) return undefined;
  const { value } = parseUserYaml(path, text, "bundle-base");
  if (isJsonObject(value) && value["kind"] === "ClusterServiceVersion") return value;
  throw new TsopError(
    "bundle-base",
    `${path} is not a ClusterServiceVersion.`,
    "Begin it with `apiVersion: operators.coreos.com/v1alpha1` and `kind: ClusterServiceVersion`; see node_modules/tsop/docs/packaging.md.",
  );
}

async function settingsOf(
  { replaces, maturity, description, icon }: BundleOptions,
  projectName: string,
  { cwd }: CliContext,
): Promise<VersionSettings> {
  return {
    ...(replaces !== undefined && {
      replaces: isSemanticVersion(replaces) ? `${projectName}.v${replaces}` : replaces,
    }),
    ...present({ maturity, description }),
    ...(icon !== undefined && { icon: await readIcon(resolve(cwd, icon), icon) }),
  };
}

const PICTURES = tableOf<string>({
  ".gif": "image/gif",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".svg": "image/svg+xml",
});

async function readIcon(
  path: string,
  given: string,
): Promise<{ base64data: string; mediatype: string }> {
  const mediatype = PICTURES.get(extname(path).toLowerCase());
  const data = await readRegularFile(path).catch(() => undefined);
  if (mediatype !== undefined && data) return { base64data: data.toString("base64"), mediatype };
  throw new UsageError(
    "bundle-icon",
    `--icon ${given} is not a picture that can be read.`,
    `Name a file that ends in ${[...PICTURES.keys()].join(", ")}.`,
  );
}

/** The objects of `config/samples`: all that its list names, or all files where there is no list. */
async function readSamples(root: string): Promise<ManifestObject[]> {
  const folder = join(root, SAMPLES);
  if ((await readIfThere(join(root, SAMPLES_LIST))) !== undefined) {
    return renderKustomization(folder);
  }
  const names = await readdir(folder).catch(() => []);
  const files = new SourceFiles();
  const read = names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => readManifests(join(folder, name), files));
  return (await Promise.all(read)).flat();
}
