/**
 * The policy of the network that lets the API server ask the webhooks, in the part `network-policy`.
 */
import type { Draft } from "../draft.ts";
import { POLICY_LIST, WEBHOOK_POLICY, WEBHOOK_POLICY_FILE } from "../part-names.ts";
import { enabledParts, isAsScaffolded, partFiles } from "../parts.ts";
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

/**
 * Removes the policy with the last webhook.
 *
 * @returns the file, where the user changed it
 */
export async function removeWebhookPolicy(
  draft: Draft,
  project: Project,
): Promise<string | undefined> {
  if ((await draft.read(WEBHOOK_POLICY_FILE)) === undefined) return undefined;
  const scaffolded = (await partFiles(project, "network-policy", true)).get(WEBHOOK_POLICY_FILE);
  const record = await findRecord(project.root);
  const isOurs = await isAsScaffolded(draft, WEBHOOK_POLICY_FILE, [
    scaffolded,
    record?.files.get(WEBHOOK_POLICY_FILE),
  ]);
  draft.set(WEBHOOK_POLICY_FILE, undefined);
  await draft.edit(POLICY_LIST, (text) =>
    withoutListEntry(POLICY_LIST, text, "resources", WEBHOOK_POLICY),
  );
  return isOurs ? undefined : WEBHOOK_POLICY_FILE;
}
