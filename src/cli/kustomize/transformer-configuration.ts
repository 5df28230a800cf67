/**
 * Files that `configurations` names: which fields of objects hold names of others.
 *
 * @module
 */
import { readYaml } from "../project/yaml-documents.ts";
import { flag, listOf, listOrNone, mapping, required, text } from "./fields.ts";
import type { NameReference } from "./name-references.ts";
import type { SourceFiles } from "./source-files.ts";

/** A field, as transformer configurations name it. */
interface FieldSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path: string;
  readonly create?: boolean;
}

/** A kind, and the fields that name objects of it. */
interface NamedKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly fieldSpecs: readonly FieldSpec[];
}

interface TransformerConfiguration {
  readonly nameReference: readonly NamedKind[];
  /** Where `vars` go; they are not rendered, so that there is nothing to do. */
  readonly varReference?: readonly FieldSpec[];
}

const fieldSpec = mapping<FieldSpec>({
  group: text,
  version: text,
  kind: text,
  path: required(text),
  create: flag,
});
const configuration = mapping<TransformerConfiguration>({
  nameReference: listOrNone(
    mapping<NamedKind>({
      group: text,
      version: text,
      kind: required(text),
      fieldSpecs: listOrNone(fieldSpec),
    }),
  ),
  varReference: listOf(fieldSpec),
});

/**
 * The references of a transformer configuration.
 *
 * @throws TsopError `broken-yaml`, `broken-kustomization` or `kustomize-field`
 */
export async function readNameReferences(
  path: string,
  files: SourceFiles,
): Promise<NameReference[]> {
  const [document] = readYaml(await files.read(path), path);
  if (!document || document.value === null) return [];
  const { nameReference } = configuration.read({ value: document.value, path: [], document });
  return nameReference.flatMap(({ kind: to, fieldSpecs }) =>
    fieldSpecs.map(({ path: field, kind, group }) => ({
      to,
      path: field.split("/"),
      ...(kind === undefined ? {} : { from: kind }),
      ...(group === undefined ? {} : { group }),
    })),
  );
}
