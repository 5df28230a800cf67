/** `tsop create webhook`: adds defaulting, validating, or conversion webhooks to a kind. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../../../errors.ts";
import { apiVersionOf } from "../../../../kube/resource.ts";
import type { CliContext } from "../../../context.ts";
import { paint } from "../../../output.ts";
import { findTarget } from "../../../project/scaffold/api-target.ts";
import { defaultList } from "../../../project/default-list.ts";
import { changeProject } from "../../../project/change-project.ts";
import { Draft } from "../../../project/draft.ts";
import { checkKind, checkVersion, missingFlags } from "../../../project/inputs.ts";
import { moduleOf, namesOf } from "../../../project/scaffold/kind-names.ts";
import { storageOf, withHub } from "../../../project/sources/kind-file.ts";
import { wire } from "../../../project/sources/wiring.ts";
import {
  apiGroupOf,
  isSameKind,
  isSameResource,
  withCertificates,
  withResource,
  type CertificateMode,
  type Project,
  type ProjectResource,
  type ProjectWebhooks,
  type StorageBefore,
} from "../../../project/project-file.ts";
import { PROJECT_FILE } from "../../../project/project-root.ts";
import { recordAfter } from "../../../project/scaffold/scaffold-record.ts";
import { RECORD_FILE } from "../../../project/tsop-folder.ts";
import { digestsOf, withFreshDigests } from "../../../project/scaffold/scaffolded.ts";
import { withConversion } from "../../../project/webhooks/test-conversion.ts";
import { certificateFiles, defaultWithWebhooks } from "../../../project/webhooks/webhook-config.ts";
import {
  admissionFiles,
  conversionFiles,
  conversionClass,
  spokeOf,
  type AdmissionSort,
  type WebhookTarget,
} from "../../../project/webhooks/webhook-files.ts";
import { addWebhookPolicy } from "../../../project/webhooks/webhook-policy.ts";
import type { Options, Run } from "../../../command.ts";
import type { createWebhook } from "./flags.ts";

type CreateWebhookOptions = Options<typeof createWebhook>;

const TESTS = "test";
const EXAMPLE = "tsop create webhook --group web --version v1 --kind MyWeb";

/** The complete request: the flags, with nothing missing. */
interface Asked extends CreateWebhookOptions {
  readonly version: string;
  readonly kind: string;
}

/** Adds webhooks to a kind; returns the exit code. */
export const run: Run<typeof createWebhook> = async (options, context) => {
  const asked = checkedFlags(options, context);
  return changeProject(context, options, async (project, draft) => {
    const target = await targetOf(project, asked);
    await scaffoldWebhooks(draft, project, target, asked, context);
    const group = apiGroupOf(project, target.resource);
    return {
      heading: `${paint(context).bold(asked.kind)} ${apiVersionOf({ group, version: asked.version })}`,
      next: ["edit the files in src/webhooks, then", "npx tsop manifests && npm test"],
    };
  });
};

/** @throws UsageError for flags that are missing or contradict each other */
function checkedFlags(options: CreateWebhookOptions, context: CliContext): Asked {
  const { version, kind, defaulting, programmaticValidation, conversion, spoke } = options;
  const validation = options.validation || programmaticValidation;
  if (version === undefined || kind === undefined) {
    throw missingFlags(options, `${EXAMPLE} --validation`);
  }
  checkVersion(version);
  checkKind(kind, false);
  if (!defaulting && !validation && !conversion) {
    throw new UsageError(
      "no-webhook-type",
      "The webhook type is missing.",
      "Add one or several of --defaulting, --validation, --conversion.",
    );
  }
  if (conversion !== spoke.length > 0) {
    throw new UsageError(
      "conversion-without-spoke",
      conversion
        ? "--conversion needs the other versions of the kind, in --spoke."
        : "--spoke needs --conversion.",
      `For example: ${EXAMPLE} --conversion --spoke v1alpha1`,
    );
  }
  if (programmaticValidation) {
    context.err(
      `${paint(context).yellow("note")} --programmatic-validation is kubebuilder's name of --validation.`,
    );
  }
  return { ...options, version, kind, validation, spoke: [...new Set(spoke)] };
}

async function targetOf(project: Project, asked: Asked): Promise<WebhookTarget> {
  const [{ findClasses }, { findSchemas }] = await Promise.all([
    import("../../../../generator/find-classes.ts"),
    import("../../../../generator/find-schemas.ts"),
  ]);
  const classes = findClasses(project.root);
  const found = await findTarget(project, classes, { ...asked, purpose: "webhook" });
  const target = {
    ...found,
    classes,
    schemas: found.resource.api ? findSchemas(project.root) : [],
  };
  if (asked.conversion && !found.resource.api) {
    throw new UsageError(
      "conversion-of-others",
      `The versions of ${asked.kind} are converted by the owner of its CRD.`,
      "Leave --conversion out.",
    );
  }
  return target;
}

async function scaffoldWebhooks(
  draft: Draft,
  project: Project,
  target: WebhookTarget,
  asked: Asked,
  context: CliContext,
): Promise<void> {
  const mode = modeOf(project, asked);
  const resource = withWebhooks(project, target.resource, asked);
  const sorts: AdmissionSort[] = [
    ...(asked.defaulting ? (["defaulter"] as const) : []),
    ...(asked.validation ? (["validator"] as const) : []),
  ];
  for (const spoke of asked.spoke) spokeOf(project, target, spoke);
  const scaffolded = [
    await admissionFiles(project, target, sorts, asked),
    ...(await Promise.all(
      asked.spoke.map((spoke) => conversionFiles(project, target, spoke, asked)),
    )),
  ];
  for (const one of scaffolded) for (const [path, text] of one.files) draft.set(path, text);
  const digests = digestsOf(new Map(scaffolded.flatMap((one) => [...one.files])));
  const policies = new Draft(project.root);
  await addWebhookPolicy(policies, project);
  for (const [path, text] of policies.files) draft.set(path, text);
  let storage: StorageBefore = {};
  if (asked.conversion) {
    storage = await storeHub(draft, project, target, asked, context);
    await adaptTests(draft, project, target, asked, context);
  }
  const wired = scaffolded.flatMap((one) => one.wired);
  await wire(draft, wired, `${project.projectName}-`);
  const before = project.certificates;
  const config = await certificateFiles(project, { before, after: mode }, asked);
  for (const [path, text] of config) draft.set(path, text);
  const others = project.resources.filter((known) => !isSameResource(known, resource));
  const frame = new Map([...config, ...policies.files]);
  const record = await recordAfter(project.root, frame, new Set(config.keys()));
  if (record !== undefined) draft.set(RECORD_FILE, record);
  draft.set(defaultList, await defaultWithWebhooks(project, mode, [...others, resource]));
  if (project.namespaced && before === undefined) {
    context.err(
      `${paint(context).yellow("note")} webhook configurations are cluster-scoped, so the user who deploys needs permission to create them.`,
    );
  }
  // Last, so that the file names a webhook only once its files are there.
  const known = project.resources.find((one) => isSameResource(one, resource));
  const storageBefore = { ...storage, ...known?.webhooks?.storageBefore };
  const projectText = withResource(project, {
    ...known,
    ...resource,
    webhooks: {
      ...resource.webhooks,
      ...(Object.keys(storageBefore).length > 0 && { storageBefore }),
    },
    // A kind of an earlier tsop, which kept no digests, goes on without.
    ...((!known || known.files) && { files: { ...known?.files, ...digests } }),
  });
  const text = withCertificates(project.root, projectText, mode);
  draft.set(PROJECT_FILE, await withFreshDigests(project, text, draft.files));
}

/** @throws UsageError `certificates-differ` */
function modeOf({ certificates }: Project, { certificates: asked }: Asked): CertificateMode {
  if (certificates === undefined || asked === undefined || asked === certificates) {
    return certificates ?? asked ?? "self-managed";
  }
  throw new UsageError(
    "certificates-differ",
    `The project's webhooks have certificates of the mode ${certificates}, and all share one.`,
    `Leave --certificates out, or change the mode first: tsop edit --certificates ${asked}`,
  );
}

/**
 * The kind as `PROJECT` will have it.
 *
 * @throws UsageError `webhook-exists` where another version has such a webhook
 */
function withWebhooks(project: Project, found: ProjectResource, asked: Asked): ProjectResource {
  const known = project.resources.find((one) => isSameResource(one, found));
  const { defaulting, validation, conversion, spoke } = asked;
  for (const [type, isAsked] of Object.entries({ defaulting, validation, conversion })) {
    const other = project.resources.find(
      (one) =>
        isSameKind(one, found) &&
        one.version !== found.version &&
        one.webhooks?.[type as "defaulting" | "validation" | "conversion"],
    );
    if (!isAsked || !other) continue;
    throw new UsageError(
      "webhook-exists",
      `${found.kind} has ${type} in ${other.version}, and one version is enough because the API server converts objects of the other versions to it.`,
      `Leave --${type} out, or move the class in src/webhooks and PROJECT to ${found.version} by hand.`,
    );
  }
  const webhooks: ProjectWebhooks = {
    ...known?.webhooks,
    ...(defaulting && { defaulting }),
    ...(validation && { validation }),
    ...(conversion && {
      conversion,
      spokes: [...new Set([...(known?.webhooks?.spokes ?? []), ...spoke])],
    }),
  };
  return { ...found, controller: known?.controller === true, webhooks };
}

/** The hub is the version that is stored. Returns what the changed versions said of it before. */
async function storeHub(
  draft: Draft,
  project: Project,
  target: WebhookTarget,
  { spoke, version, kind }: Asked,
  context: CliContext,
): Promise<StorageBefore> {
  const hub = { file: target.file ?? "", className: target.token, version };
  const group = apiGroupOf(project, target.resource);
  const others = target.classes.filter(
    (known) => known.group === group && known.kind === kind && known.version !== version,
  );
  const versions = [hub, ...others];
  const texts = await Promise.all(versions.map(({ file }) => draft.require(file)));
  const changed = withHub(
    versions.map(({ className }, index) => ({ className, text: texts[index] ?? "" })),
  );
  const before: Record<string, "true" | "false" | "unset"> = {};
  for (const [index, { file, className, version: changing }] of versions.entries()) {
    const [text, earlier = ""] = [changed[index]?.text, texts[index]];
    if (changed[index]?.wasConverted) {
      context.err(
        `${paint(context).yellow("note")} ${file}: the option conversion is taken out, since the converters of src/webhooks take its place.`,
      );
    }
    if (text === undefined || text === earlier) continue;
    draft.set(file, text);
    before[changing] = storageOf({ className, text: earlier });
  }
  const moved = others.filter((_one, index) => changed[index + 1]?.wasStored);
  if (moved.length > 0) {
    context.err(
      `${paint(context).yellow("note")} ${kind} is stored as ${version} from now on, instead of ${moved.map((one) => one.version).join(", ")}: \`tsop migrate\` rewrites the objects in a cluster.`,
    );
  }
  const missing = others.filter(
    (one) => !spoke.includes(one.version) && !knownSpokes(project, target).includes(one.version),
  );
  if (missing.length > 0) {
    context.err(
      `${paint(context).yellow("note")} ${missing.map((one) => one.version).join(", ")} of ${kind} has no converter yet: add --spoke ${missing.map((one) => one.version).join(",")}`,
    );
  }
  return before;
}

const knownSpokes = ({ resources }: Project, { resource }: WebhookTarget): readonly string[] =>
  resources.find((one) => isSameResource(one, resource))?.webhooks?.spokes ?? [];

/** Tests that write one of the spokes need its conversion from now on. */
async function adaptTests(
  draft: Draft,
  project: Project,
  target: WebhookTarget,
  { spoke: versions }: Asked,
  context: CliContext,
): Promise<void> {
  for (const version of versions) {
    const spoke = `${moduleOf(spokeOf(project, target, version).file, TESTS)}"`;
    const { name, file } = conversionClass(namesOf(project, target.resource), version);
    for (const path of await testsOf(project.root)) {
      const text = await draft.require(path);
      if (!text.includes(spoke) || text.includes("installWebhooks")) continue;
      const changed = withConversion(text, { className: name, from: `../${file}` });
      if (changed !== undefined) draft.set(path, changed);
      else {
        context.err(
          `${paint(context).yellow("note")} ${path} uses ${version} of ${target.resource.kind}: serve its conversion there, with installWebhooks(cluster, [new ${name}()])`,
        );
      }
    }
  }
}

async function testsOf(root: string): Promise<string[]> {
  const names = await readdir(join(root, TESTS)).catch(() => []);
  return names.filter((name) => name.endsWith(".test.ts")).map((name) => `${TESTS}/${name}`);
}
