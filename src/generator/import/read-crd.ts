/**
 * CustomResourceDefinitions that others wrote, with every part checked: for those who read them and write no code.
 */
import { type CrdDefinition, readDefinition, refusal } from "./definition.ts";
import { normalSchema } from "./normal-schema.ts";

/**
 * A definition whose parts all have their types; keywords that say nothing are left out of its schemas.
 *
 * @param from - where it was found, for errors
 * @throws TsopError `not-a-crd`
 */
export function readCrd(found: unknown, from: string): CrdDefinition {
  // The notes are dropped: nothing is written here, so differences between `v1` and `v1beta1` are
  // no news.
  const notes: string[] = [];
  const definition = readDefinition(found, from, notes);
  const { spec } = definition;
  const versions = spec.versions.map((version) => {
    if (!version.schema) return version;
    const openAPIV3Schema = normalSchema(
      version.schema.openAPIV3Schema,
      `the schema of ${version.name}`,
      notes,
      refusal(from),
    );
    return { ...version, schema: { openAPIV3Schema } };
  });
  return { ...definition, spec: { ...spec, versions } };
}
