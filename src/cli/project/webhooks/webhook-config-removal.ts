/** Takes out the parts of `config/` that webhooks need, when the webhooks are deleted. */
import { TsopError } from "../../../errors.ts";
import { defaultList } from "../default-list.ts";
import type { Draft } from "../draft.ts";
import type { Project, ProjectResource } from "../project-file.ts";
import { goingText, removeFiles, type Consent } from "../removal.ts";
import { findRecord } from "../scaffold/scaffold-record.ts";
import { renderTemplates } from "../scaffold/scaffold.ts";
import {
  certificateTemplate,
  defaultWithoutWebhooks,
  defaultWithWebhooks,
} from "./webhook-config.ts";
import { removeWebhookPolicy } from "./webhook-policy.ts";

/**
 * Brings `config/` to the needs of the kinds that are left: with the last webhook the port, the
 * policy and the certificate are deleted.
 *
 * @throws TsopError `file-changed` for files that the user changed and that would go, unless `force`
 */
export async function withoutWebhookConfig(
  draft: Draft,
  project: Project,
  resources: readonly ProjectResource[],
  consent: Consent,
): Promise<void> {
  const { certificates: mode } = project;
  if (mode === undefined) return;
  const text = await draft.read(defaultList);
  if (resources.some(({ webhooks }) => webhooks !== undefined)) {
    if (text === undefined) return;
    draft.set(defaultList, await defaultWithWebhooks(project, mode, resources, text));
    return;
  }
  const record = await findRecord(project.root);
  const scaffolded = await renderTemplates(certificateTemplate(project, mode));
  const going = [
    ...(await removeWebhookPolicy(draft, project)),
    ...[...scaffolded].map(([path, own]) => goingText(path, [own, record?.files.get(path)])),
  ];
  const changed = await removeFiles(draft, going, consent);
  if (changed.length > 0) {
    throw new TsopError(
      "file-changed",
      `${changed.join(", ")} would be deleted with the last webhook, but you changed ${changed.length === 1 ? "it" : "them"}.`,
      "Move your changes elsewhere, or delete with --force.",
    );
  }
  if (text !== undefined) draft.set(defaultList, defaultWithoutWebhooks(text));
}
