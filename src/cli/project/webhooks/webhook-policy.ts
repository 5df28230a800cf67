/**
 * The policy of the network that lets the API server ask the webhooks, in the part `network-policy`.
 *
 * @module
 */
import type { Draft } from "../draft.ts";
import { enabledParts, isAsScaffolded, partFiles, POLICY_LIST, WEBHOOK_POLICY } from "../parts.ts";
import type { Project } from "../project-file.ts";
import { findRecord } from "../scaffold/scaffold-record.ts";
import { withListEntry, withoutListEntry } from "../yaml/user-yaml.ts";

const LIST = POLICY_LIST;
const NAME = WEBHOOK_POLICY;
const FILE = `config/network-policy/${NAME}`;

/** Lets the API server in, where the project has policies: the file, and its line in their list. */
export async function addWebhookPolicy(draft: Draft, project: Project): Promise<void> {
  if (!(await enabledParts(draft)).has("network-policy")) return;
  const files = await partFiles(project, "network-policy", true);
  if ((await draft.read(FILE)) === undefined) draft.set(FILE, files.get(FILE));
  await draft.edit(LIST, (text) => withListEntry(LIST, text, "resources", NAME));
}

/**
 * Takes the policy away with the last webhook.
 *
 * @returns the file, where the user changed it
 */
export async function removeWebhookPolicy(
  draft: Draft,
  project: Project,
): Promise<string | undefined> {
  if ((await draft.read(FILE)) === undefined) return undefined;
  const scaffolded = (await partFiles(project, "network-policy", true)).get(FILE);
  const record = await findRecord(project.root);
  const isOurs = await isAsScaffolded(draft, FILE, [scaffolded, record?.files.get(FILE)]);
  draft.set(FILE, undefined);
  await draft.edit(LIST, (text) => withoutListEntry(LIST, text, "resources", NAME));
  return isOurs ? undefined : FILE;
}
