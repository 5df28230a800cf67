/**
 * The policy of the network that lets the API server ask the webhooks, in the part `network-policy`.
 */
import type { Draft } from "../draft.ts";
import { POLICY_LIST, WEBHOOK_POLICY, WEBHOOK_POLICY_FILE } from "../part-names.ts";
import { enabledParts, partFiles } from "../parts.ts";
import { goingText, type GoingFile } from "../removal.ts";
import type { Project } from "../project-file.ts";
import { findRecord } from "../scaffold/scaffold-record.ts";
import { withListEntry, withoutListEntry } from "../yaml/user-yaml.ts";

/**
 * Adds the policy that lets the API server in, where the project has policies: the file, and its
 * line in their list.
 */
export async function addWebhookPolicy(draft: Draft, project: Project): Promise<void> {
  if (!(await enabledParts(draft)).has("network-policy")) return;
  const files = await partFiles(project, "network-policy", true);
  if ((await draft.read(WEBHOOK_POLICY_FILE)) === undefined)
    draft.set(WEBHOOK_POLICY_FILE, files.get(WEBHOOK_POLICY_FILE));
  await draft.edit(POLICY_LIST, (text) =>
    withListEntry(POLICY_LIST, text, "resources", WEBHOOK_POLICY),
  );
}

/** Takes the policy out of the list. Its file is to be removed. */
export async function removeWebhookPolicy(draft: Draft, project: Project): Promise<GoingFile[]> {
  const scaffolded = (await partFiles(project, "network-policy", true)).get(WEBHOOK_POLICY_FILE);
  const record = await findRecord(project.root);
  if ((await draft.read(WEBHOOK_POLICY_FILE)) === undefined) return [];
  await draft.edit(POLICY_LIST, (text) =>
    withoutListEntry(POLICY_LIST, text, "resources", WEBHOOK_POLICY),
  );
  return [goingText(WEBHOOK_POLICY_FILE, [scaffolded, record?.files.get(WEBHOOK_POLICY_FILE)])];
}
