/** `tsop edit`: changes the settings of a project. */
import { UsageError } from "../../../errors.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { paint } from "../../output.ts";
import { defaultList } from "../../project/default-list.ts";
import { changeProject } from "../../project/change-project.ts";
import { dialogFor } from "../../project/conflict-dialog.ts";
import type { Draft } from "../../project/draft.ts";
import { PARTS, type Part } from "../../project/part-names.ts";
import { enabledParts, switchParts } from "../../project/parts.ts";
import { requireFile } from "../../project/plan.ts";
import {
  withCertificates,
  type CertificateMode,
  type Project,
} from "../../project/project-file.ts";
import type { Consent } from "../../project/removal.ts";
import { PROJECT_FILE } from "../../project/project-root.ts";
import { recordAfter } from "../../project/scaffold/scaffold-record.ts";
import { RECORD_FILE } from "../../project/tsop-folder.ts";
import { certificateFiles, defaultWithWebhooks } from "../../project/webhooks/webhook-config.ts";
import type { Run } from "../../command.ts";
import type { edit } from "./flags.ts";

/** Changes the settings that were given; returns the exit code. */
export const run: Run<typeof edit> = async (options, context) => {
  const { certificates, force } = options;
  const [enable, disable] = [options.enable.map(partNamed), options.disable.map(partNamed)];
  if (options.multigroup !== undefined) {
    context.out(
      "  --multigroup has no effect: a project can have any number of API groups, and kinds with the same name get separate files",
    );
  }
  if (certificates === undefined && enable.length + disable.length === 0) {
    if (options.multigroup !== undefined) return 0;
    throw new UsageError(
      "nothing-to-edit",
      "No setting to change is given.",
      `For example: tsop edit --certificates cert-manager, or tsop edit --enable ${PARTS.join("|")}`,
    );
  }
  const both = enable.find((part) => disable.includes(part));
  if (both !== undefined) {
    throw new UsageError(
      "part-twice",
      `The part ${both} cannot be enabled and disabled in the same command.`,
      "Omit one of them.",
    );
  }
  return changeProject(context, options, async (project, draft) => {
    const consent = { force, dialog: dialogFor(context, options) };
    const { bold } = paint(context);
    let rendered: ReadonlySet<string> = new Set();
    if (certificates !== undefined) {
      rendered = await changeCertificates(draft, project, certificates, consent);
      context.out(`${bold("certificates")} ${String(project.certificates)} -> ${certificates}`);
    }
    if (enable.length + disable.length > 0) {
      const before = await enabledParts(draft);
      const after = await switchParts(draft, project, { enable, disable }, consent);
      const named = (parts: ReadonlySet<Part>): string => [...parts].join(", ") || "none";
      context.out(`${bold("parts")} ${named(before)} -> ${named(after)}`);
    }
    const record = await recordAfter(project.root, draft.files, rendered);
    if (record !== undefined) draft.set(RECORD_FILE, record);
    return {
      next: [
        // The rights that the operator needs depend on the mode.
        ...(certificates === undefined ? [] : ["npx tsop manifests"]),
        "npx tsop plan --image IMAGE, then npx tsop deploy --image IMAGE",
      ],
    };
  });
};

/** @throws UsageError `unknown-part` */
function partNamed(name: string): Part {
  const found = PARTS.find((part) => part === name);
  if (found) return found;
  throw new UsageError(
    "unknown-part",
    `${name} is not an optional part of a project.`,
    didYouMean(
      name,
      PARTS,
      `The parts are ${PARTS.join(", ")}; \`tsop list\` shows which of them are on.`,
    ),
  );
}

/** Changes the files of the certificate mode. Returns those that come from templates. */
async function changeCertificates(
  draft: Draft,
  project: Project,
  after: CertificateMode,
  consent: Consent,
): Promise<ReadonlySet<string>> {
  const { certificates: before, resources, root } = project;
  if (before === undefined) {
    throw new UsageError(
      "no-webhooks",
      "--certificates selects the webhook certificate, but the project has no webhooks.",
      `Scaffold one: tsop create webhook --group GROUP --version v1 --kind KIND --validation --certificates ${after}`,
    );
  }
  const files = await certificateFiles(project, { before, after }, consent);
  for (const [path, text] of files) draft.set(path, text);
  const list = await requireFile(root, defaultList);
  draft.set(defaultList, await defaultWithWebhooks(project, after, resources, list));
  draft.set(PROJECT_FILE, withCertificates(root, project.text, after));
  return new Set(files.keys());
}
