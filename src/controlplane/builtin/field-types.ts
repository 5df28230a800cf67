/**
 * The Go types of fields that hold a named string, number, list or map type, and the structs that
 * are embedded in others. Messages about wrong types name them.
 *
 * The table is made by `scripts/make/kubernetes/go-shape.mjs`, and loaded on first use.
 */
import { LineTable } from "../line-table.ts";

const types = new LineTable<Readonly<Record<string, string>>>(
  new URL("./go-field-types.data.json", import.meta.url),
);

/**
 * The Go type of a field, such as `v1.Protocol` or `[]v1.Toleration`; `undefined` when it is not a
 * named type.
 *
 * @param definition - the name of the definition that has the field
 */
export function findFieldType(definition: string, field: string): string | undefined {
  return types.get(definition)?.[field];
}

/**
 * The names of the embedded structs that lead to a field, such as `VolumeSource`; `undefined` for a
 * field of the struct itself.
 */
export function findEmbedding(definition: string, field: string): string | undefined {
  return types.get(definition)?.[`.${field}`];
}
