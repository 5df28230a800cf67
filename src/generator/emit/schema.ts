/** Turns type models into the schemas of a CRD. */
import type { Schema } from "../../kube/schema/structural.ts";
import type { TypeModel } from "../model.ts";

export function schemaOf(type: TypeModel): Schema {
  const { properties, items, values } = type;
  const schema: Schema = { ...type.schema };
  if (properties) {
    schema.properties = Object.fromEntries(
      properties.map((property) => [property.name, schemaOf(property.type)]),
    );
    const required = properties.filter((property) => property.required).map(({ name }) => name);
    const all = new Set([...required, ...(schema.required ?? [])]);
    if (all.size > 0) schema.required = [...all].sort();
  }
  if (items) schema.items = schemaOf(items);
  if (values) schema.additionalProperties = schemaOf(values);
  return schema;
}
