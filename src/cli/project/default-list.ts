/** The CRDs and the webhooks in `config/default`, which is the user's. */
import { join } from "node:path";
import { isGenerated, WEBHOOK_LIST, WEBHOOK_SERVICE_FILE } from "../../generator/stamp.ts";
import { readIfThere } from "./plan.ts";
import { withListEntry, withoutListEntry } from "./yaml/user-yaml.ts";

const DEFAULT_LIST = "config/default/kustomization.yaml";
const CRDS = "../crd";

/** The text of `config/default/kustomization.yaml` with the CRDs in it. @throws TsopError `broken-yaml` */
export const withCrds = (text: string): string =>
  withListEntry(DEFAULT_LIST, text, "resources", CRDS);

/** The path of that text. */
export const defaultList = DEFAULT_LIST;

/** The lists that `tsop manifests` writes, and their names in `config/default`. */
const GENERATED_LISTS = [
  { list: "config/crd/kustomization.yaml", entry: CRDS },
  { list: WEBHOOK_LIST, entry: "../webhook" },
];

/**
 * The lists after the last CRD or the last webhook is gone, by path: the generated list is deleted,
 * and the user's does not name it any more. Empty where there are some, or where their list is the
 * user's.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export async function listsWithoutGone(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const changed = new Map<string, string | undefined>();
  const before = await readIfThere(join(root, DEFAULT_LIST));
  let text = before;
  for (const { list, entry } of GENERATED_LISTS) {
    const isGone = !files.has(list) && isGenerated(await readIfThere(join(root, list)));
    if (!isGone) continue;
    changed.set(list, undefined);
    if (text !== undefined) text = withoutListEntry(DEFAULT_LIST, text, "resources", entry);
  }
  if (text !== before) changed.set(DEFAULT_LIST, text);
  return changed;
}

/** Whether the Service before the webhooks is the user's own: it stays as it is. */
export async function hasOwnWebhookService(root: string): Promise<boolean> {
  const text = await readIfThere(join(root, WEBHOOK_SERVICE_FILE));
  return text !== undefined && !isGenerated(text);
}
