/** Reduces a type: without some of its fields, and with shorter descriptions or none. */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { EmbedOptions } from "../../../markers/marker.ts";
import type { Position, PropertyModel, TypeModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { without } from "../../schema-keywords.ts";
import type { Reader } from "../code/reader.ts";

/** The type as `@Embed` narrows it; a path that leads nowhere is noted. */
export function embed(
  reader: Reader,
  type: TypeModel,
  { only = [], omit = [], descriptions, defaults = true, metadata = true }: EmbedOptions,
  at: Position,
): TypeModel {
  for (const path of [...only, ...omit]) checkPath(reader, type, path, at);
  let result = type;
  if (only.length > 0) result = filtered(result, stepsOf(only), true);
  if (omit.length > 0) result = filtered(result, stepsOf(omit), false);
  if (!defaults) result = withoutDefaults(result);
  if (!metadata) result = withoutMetadata(result);
  return descriptions === undefined ? result : withDescriptions(result, descriptions);
}

/** The type with each of its parts changed; of a property the name is told. */
function mapParts(
  type: TypeModel,
  change: (part: TypeModel, name?: string) => TypeModel,
): TypeModel {
  const { properties, items, values } = type;
  return {
    ...type,
    ...(properties
      ? { properties: properties.map((one) => ({ ...one, type: change(one.type, one.name) })) }
      : {}),
    ...(items ? { items: change(items) } : {}),
    ...(values ? { values: change(values) } : {}),
  };
}

/** The type without the defaults in it. A key of a list that may be left out needs its default. */
function withoutDefaults(type: TypeModel, keys: readonly string[] = []): TypeModel {
  const inner = type.schema["x-kubernetes-list-map-keys"];
  return mapParts(type, (part, name) =>
    name !== undefined && keys.includes(name)
      ? part
      : withoutDefaults({ ...part, schema: without(part.schema, "default") }, inner),
  );
}

/** The type with metadata of which the fields are not said. */
function withoutMetadata(type: TypeModel): TypeModel {
  if (!type.isMetadata) return mapParts(type, withoutMetadata);
  const { schema, at, saidAt } = type;
  return { schema, at, saidAt };
}

/** The type with descriptions of at most so many bytes; `false` is none at all. */
export function withDescriptions(type: TypeModel, limit: number | boolean): TypeModel {
  if (limit === true) return type;
  const schema = shortSchema(type.schema, limit === false ? 0 : limit);
  return mapParts({ ...type, schema }, (part) => withDescriptions(part, limit));
}

function shortSchema(schema: Schema, most: number): Schema {
  const { description, properties, items, additionalProperties } = schema;
  const short = description === undefined ? "" : shortened(description, most);
  const result = short === "" ? without(schema, "description") : { ...schema, description: short };
  if (properties) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, shortSchema(part, most)]),
    );
  }
  if (items) result.items = shortSchema(items, most);
  if (typeof additionalProperties === "object") {
    result.additionalProperties = shortSchema(additionalProperties, most);
  }
  return result;
}

/** The text cut at the end of a sentence, else between words, as controller-gen does. */
function shortened(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  if (most === 0) return "";
  const cut = bytes
    .subarray(0, most)
    .toString()
    .replace(/\uFFFD+$/u, "");
  const sentence = /^.+\p{Sentence_Terminal}/su.exec(cut)?.[0];
  if (sentence !== undefined) return sentence;
  const words = /^(.+)\s/su.exec(cut)?.[1];
  return `${words ?? cut}...`;
}

/** Names of fields, each with the choice of its own fields; `undefined` for the whole field. */
type Steps = Map<string, Steps | undefined>;

function stepsOf(paths: readonly string[]): Steps {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [name = "", ...rest] = path.split(".");
    below.set(name, [...(below.get(name) ?? []), rest.join(".")]);
  }
  return new Map(
    [...below].map(([name, rest]) => [name, rest.includes("") ? undefined : stepsOf(rest)]),
  );
}

/** Keeps or drops fields, also in the items of a list and the values of a record. */
function filtered(type: TypeModel, steps: Steps, keep: boolean): TypeModel {
  if (type.items) return { ...type, items: filtered(type.items, steps, keep) };
  if (type.values) return { ...type, values: filtered(type.values, steps, keep) };
  if (!type.properties) return type;
  const properties = type.properties.flatMap((property): PropertyModel[] => {
    if (!steps.has(property.name)) return keep ? [] : [property];
    const inner = steps.get(property.name);
    if (!inner) return keep ? [property] : [];
    return [{ ...property, type: filtered(property.type, inner, keep) }];
  });
  const names = new Set(properties.map(({ name }) => name));
  const { required } = type.schema;
  const schema = required
    ? { ...type.schema, required: required.filter((name) => names.has(name)) }
    : type.schema;
  return { ...type, schema, properties };
}

function checkPath(reader: Reader, type: TypeModel, path: string, at: Position): void {
  let here: TypeModel | undefined = type;
  for (const name of path.split(".")) {
    while (here.items ?? here.values) here = here.items ?? here.values ?? here;
    const names: string[] = here.properties?.map((property) => property.name) ?? [];
    const next: TypeModel | undefined = here.properties?.find(
      (property) => property.name === name,
    )?.type;
    if (next) {
      here = next;
      continue;
    }
    reader.findings.error(
      at,
      "path-leads-nowhere",
      `The path ${path} refers to ${name}, which does not exist.`,
      didYouMean(name, names, `There is: ${names.join(", ") || "nothing"}.`),
    );
    return;
  }
}
