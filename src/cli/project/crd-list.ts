/**
 * The CRDs in `config/default`, which is the user's.
 *
 * @module
 */
import { join } from "node:path";
import { isGenerated } from "../../generator/stamp.ts";
import { readIfThere } from "./plan.ts";
import { withListEntry, withoutListEntry } from "./user-yaml.ts";

const CRD_LIST = "config/crd/kustomization.yaml";
const DEFAULT_LIST = "config/default/kustomization.yaml";
const CRDS = "../crd";

/** The text of `config/default/kustomization.yaml` with the CRDs in it. @throws TsopError `broken-yaml` */
export const withCrds = (text: string): string =>
  withListEntry(DEFAULT_LIST, text, "resources", CRDS);

/** Where that text is. */
export const defaultList = DEFAULT_LIST;

/**
 * What becomes of the lists when the last CRD went, by path: the generated one goes too, and the user's does not name it
 * any more. Nothing where there are CRDs, or where the list of CRDs is the user's.
 *
 * @throws TsopError `broken-yaml` with the position
 */
export async function listsWithoutCrds(
  root: string,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const list = files.has(CRD_LIST) ? undefined : await readIfThere(join(root, CRD_LIST));
  if (!isGenerated(list)) return new Map();
  const text = await readIfThere(join(root, DEFAULT_LIST));
  return new Map([
    [CRD_LIST, undefined],
    ...(text === undefined
      ? []
      : [[DEFAULT_LIST, withoutListEntry(DEFAULT_LIST, text, "resources", CRDS)] as const]),
  ]);
}
