/**
 * Whether the parts of a definition have the types that they must have, before anything is made of them.
 */
import { getField } from "../../kube/json.ts";

/**
 * The shape of a part; a record of shapes is an object with such fields, each of which may be left
 * out.
 */
export type Shape =
  | "text"
  | "number"
  | "boolean"
  | "object"
  | "texts"
  | "list"
  | readonly [Shape]
  | { readonly [field: string]: Shape };

const NAMES: Readonly<Record<string, string>> = {
  text: "a string",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  texts: "a list of strings",
  list: "a list",
};

/**
 * The mismatch between a value and its shape, with its path; `undefined` when it has the shape.
 *
 * A `null` counts as left out, as everywhere in Kubernetes.
 */
export function misshapen(value: unknown, shape: Shape, path: string): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof shape === "string") {
    return isOf(value, shape) ? undefined : `${path} must be ${NAMES[shape] ?? shape}`;
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return `${path} must be a list`;
    const [item] = shape as [Shape];
    return first(value.map((one, index) => listed(one, item, `${path}[${index}]`)));
  }
  if (!isRecord(value)) return `${path} must be an object`;
  return first(
    Object.entries(shape as Record<string, Shape>).map(([field, inner]) =>
      misshapen(getField(value, field), inner, `${path}.${field}`),
    ),
  );
}

/** The paths of what a shape has no field for, at any depth of it. */
export function unknownFields(value: unknown, shape: Shape, path: string): string[] {
  if (typeof shape === "string") return [];
  if (Array.isArray(shape)) {
    const [item] = shape as [Shape];
    const items: unknown[] = Array.isArray(value) ? value : [];
    return items.flatMap((one, index) => unknownFields(one, item, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  const fields = shape as Record<string, Shape>;
  return Object.entries(value).flatMap(([name, inner]) => {
    if (inner === null) return [];
    const known = getField(fields, name);
    return known ? unknownFields(inner, known, `${path}.${name}`) : [`${path}.${name}`];
  });
}

/** An item of a list is not left out. */
function listed(value: unknown, shape: Shape, path: string): string | undefined {
  if (value === null || value === undefined) return `${path} is empty`;
  return misshapen(value, shape, path);
}

const first = (problems: readonly (string | undefined)[]): string | undefined =>
  problems.find((problem) => problem !== undefined);

/** Whether a value is an object with fields. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOf(value: unknown, shape: string): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "number":
    case "boolean":
      return typeof value === shape;
    case "object":
      return isRecord(value);
    case "texts":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    default:
      return Array.isArray(value);
  }
}
