/** Paths such as `.spec.names['a.b']`, as rules and selectable fields use them. */
import { propertyOf, type Schema, valuesOf } from "./structural.ts";

/** A path that the schema knows: its steps, and the schema at its end. */
export interface FieldPath {
  readonly steps: readonly string[];
  readonly schema: Schema;
}

/** The tokens of a path: dots, brackets, quoted texts with them, and names. */
const tokenPattern = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;

const UNKNOWN = "does not refer to a valid field";

/**
 * Follows a path through a schema.
 *
 * @returns the path; or why it is not one, in the API server's words
 */
export function parseFieldPath(
  text: string,
  schema: Schema,
  options: { readonly brackets?: boolean } = {},
): FieldPath | string {
  const { brackets = true } = options;
  const tokens = text.match(tokenPattern) ?? [];
  const steps: string[] = [];
  let at = schema;
  for (let index = 0; index < tokens.length; index++) {
    const opener = tokens[index];
    let name = tokens[++index];
    if (opener === "[") {
      if (!brackets) return "array notation is not allowed";
      if (name === undefined) return "unexpected end of JSON path";
      if (!/^'.*'$/s.test(name)) return `expected single quoted string but got ${name}`;
      name = name.slice(1, -1).replace(/\\(['\\])/g, "$1");
      const closer = tokens[++index];
      if (closer === undefined) return "unexpected end of JSON path";
      if (closer !== "]") return `expected ] but got ${closer}`;
    } else if (opener !== ".") return `expected [ or . but got: ${opener ?? ""}`;
    if (name === undefined) return "unexpected end of JSON path";
    const next: Schema | undefined =
      Object.keys(at.properties ?? {}).length > 0 ? propertyOf(at, name) : valuesOf(at);
    if (!next) return UNKNOWN;
    at = next;
    steps.push(name);
  }
  return { steps, schema: at };
}

/** Why `text` is not a path in the schema; `undefined` when it is one. */
export function fieldPathProblem(text: string, schema: Schema): string | undefined {
  const found = parseFieldPath(text, schema);
  return typeof found === "string" ? found : undefined;
}
