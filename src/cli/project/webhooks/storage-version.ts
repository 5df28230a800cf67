/** The stored version of a kind. */
import type { KindClass } from "../../../generator/find-classes.ts";
import { withStorage } from "../sources/kind-file.ts";
import type { Draft } from "../draft.ts";
import {
  apiGroupOf,
  isSameKind,
  type Project,
  type ProjectResource,
  type StorageBefore,
} from "../project-file.ts";

/**
 * Chooses the stored version, which one of several has to be: the first, unless the user chose.
 *
 * @returns what was changed; `undefined` when nothing was
 */
export async function chooseStorage(
  draft: Draft,
  project: Project,
  { resource, file }: { readonly resource: ProjectResource; readonly file: string },
  classes: readonly KindClass[],
): Promise<StorageBefore | undefined> {
  const group = apiGroupOf(project, resource);
  const others = classes.filter(
    (known) => known.group === group && known.kind === resource.kind && known.file !== file,
  );
  if (others.length === 0) return undefined;
  const order = project.resources.filter((known) => isSameKind(known, resource));
  // Versions are ordered as PROJECT lists them; a version that it does not know comes last.
  const place = (version: string): number => {
    const index = order.findIndex((known) => known.version === version);
    return index === -1 ? order.length : index;
  };
  const versions = [...others, { version: resource.version, file }].sort(
    (a, b) => place(a.version) - place(b.version),
  );
  const texts = await Promise.all(versions.map((one) => draft.require(one.file)));
  const [first] = versions;
  const text = withStorage(texts, resource.kind);
  if (first === undefined || text === undefined) return undefined;
  draft.set(first.file, text);
  return { [first.version]: "unset" };
}
