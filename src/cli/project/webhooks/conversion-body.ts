/**
 * The body of a scaffolded converter: the fields that both versions have, and values for those that
 * one has to have.
 */
import { isDeepStrictEqual } from "node:util";
import { literal, memberName } from "../../../generator/import/source-text.ts";
import type { Schema } from "../../../kube/schema/structural.ts";
import { minimalValue } from "../scaffold/minimal-object.ts";

/** One direction of a converter. */
export interface ConversionBody {
  /** The parameter, which names the fields that are read: `{ spec, status }: Sent<Widget>`. */
  readonly parameter: string;
  /** The lines of the object that is returned. */
  readonly lines: readonly string[];
}

const STANDARD = new Set(["apiVersion", "kind", "metadata"]);
const NESTED_LEVELS = 2;

/**
 * The body that makes `to` of `from`.
 *
 * @param described - the version of `from`, for comments, and the name of its class
 */
export function conversionBody(
  from: Schema,
  to: Schema,
  { version, type }: { readonly version: string; readonly type: string },
): ConversionBody {
  const names = Object.keys(to.properties ?? {}).filter((name) => !STANDARD.has(name));
  const read = names.filter((name) => from.properties?.[name] !== undefined);
  const copier = { version, level: 0 };
  return {
    parameter: read.length === 0 ? "" : `{ ${read.join(", ")} }: Sent<${type}>`,
    lines: names.flatMap((name) => fieldLines({ from, to, name, source: name }, copier)),
  };
}

interface CopiedField {
  /** The schemas of the objects that hold the field. */
  readonly from: Schema;
  readonly to: Schema;
  readonly name: string;
  /** The expression that reads the field. */
  readonly source: string;
}

interface Copier {
  readonly version: string;
  readonly level: number;
}

function fieldLines({ from, to, name, source }: CopiedField, copier: Copier): string[] {
  const wanted = to.properties?.[name] ?? {};
  const found = from.properties?.[name];
  const key = memberName(name);
  const isRead = from.required?.includes(name) === true || name === "spec";
  // A class whose field has an initialiser always has it, though the CRD does not require it.
  const isNeeded = to.required?.includes(name) === true || wanted.default !== undefined;
  const value = literal(minimalValue(wanted, { withDefaults: true }));
  if (!found || !isAlike(found, wanted)) {
    const nested = found && nestedLines(found, wanted, source, copier);
    if (nested && isRead) return [`${key}: {`, ...nested.map(indented), "},"];
    if (nested && !isNeeded) {
      return [
        `...(${source} && {`,
        `  ${key}: {`,
        ...nested.map((line) => `    ${line}`),
        "  },",
        "}),",
      ];
    }
    if (!isNeeded && name !== "spec") return [];
    const why = found ? "it is something else in" : "it is not in";
    return [`// A value for new objects: ${why} ${copier.version}.`, `${key}: ${value},`];
  }
  if (isRead) return [source === name ? `${name},` : `${key}: ${source},`];
  if (isNeeded) return [`${key}: ${source} ?? ${value},`];
  const given = source === name ? name : `${key}: ${source}`;
  return [`...(${source} !== undefined && { ${given} }),`];
}

/** The fields of two objects that differ; `undefined` where they are not objects with fields. */
function nestedLines(
  from: Schema,
  to: Schema,
  source: string,
  { version, level }: Copier,
): string[] | undefined {
  if (!from.properties || !to.properties || level >= NESTED_LEVELS) return undefined;
  const inside = { version, level: level + 1 };
  return Object.keys(to.properties).flatMap((name) => {
    const member = /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return fieldLines({ from, to, name, source: `${source}${member}` }, inside);
  });
}

const indented = (line: string): string => `  ${line}`;

/** Whether values of both have one type in TypeScript: what a schema says beside that is no part of it. */
function isAlike(one: Schema, other: Schema): boolean {
  return isDeepStrictEqual(shapeOf(one), shapeOf(other));
}

function shapeOf({ type, format, properties, items, required, ...rest }: Schema): object {
  const { enum: values, additionalProperties: entries, nullable } = rest;
  // Compared whatever the order in which they are declared.
  const fields = Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, field]) => {
      const isNeeded = required?.includes(name) === true || field.default !== undefined;
      return [name, { isNeeded, shape: shapeOf(field) }];
    }),
  );
  return {
    type,
    format,
    values,
    nullable,
    mixed: rest["x-kubernetes-int-or-string"],
    open: rest["x-kubernetes-preserve-unknown-fields"],
    fields,
    items: items && shapeOf(items),
    entries: typeof entries === "object" ? shapeOf(entries) : entries,
  };
}
