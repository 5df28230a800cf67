import { schemaOfField, type Schema } from "../../kube/schema/structural.ts";
import type { ValuePath } from "../project/yaml/yaml-documents.ts";

/** The schema of the value at a path; `undefined` where the schema says nothing of it. */
export function schemaAt(schema: Schema, path: ValuePath): Schema | undefined {
  return path.reduce<Schema | undefined>(
    (now, step) => now && (typeof step === "number" ? now.items : schemaOfField(now, step)),
    schema,
  );
}
