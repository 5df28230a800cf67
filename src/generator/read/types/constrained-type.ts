/** `With<T, { ... }>` and `Str<{ ... }>`: a type, narrowed by keywords. */
import type { Schema } from "../../../kube/schema/structural.ts";
import type { ts } from "../../load.ts";
import type { TypeModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { type KeywordTarget, schemaKeywords } from "../../schema-keywords.ts";
import { leaf, narrow } from "../code/keywords.ts";
import type { Module } from "../code/module.ts";
import { complain, type Place, type Reader, type Trail } from "../code/reader.ts";
import { unsupported } from "./type-forms.ts";
import { valueOfType } from "./type-value.ts";

/** The types of `markers/constrained.ts`. */
export const CONSTRAINED: readonly string[] = ["With", "Str"];

/** Reads the types of `markers/constrained.ts`; `undefined` for any other name. */
export function constrainedType(
  reader: Reader,
  node: ts.TypeReferenceNode,
  name: string,
  module: Module,
  trail: Trail,
): TypeModel | undefined {
  if (!CONSTRAINED.includes(name)) return undefined;
  const [first, second] = node.typeArguments ?? [];
  const [base, keywords] = name === "Str" ? [undefined, first] : [first, second];
  const value = keywords && valueOfType(reader, keywords, module);
  if ((name === "With" && !base) || typeof value !== "object" || value === null) {
    return unsupported(
      reader,
      { module, node: keywords ?? node },
      "wrong-arguments",
      `${name} takes ${name === "Str" ? "" : "a type and "}keywords with fixed values.`,
      name === "Str" ? "Write Str<{ maxLength: 63 }>." : "Write With<Int32, { minimum: 1 }>.",
    );
  }
  const type = base
    ? reader.readType(reader, base, module, trail)
    : leaf({ type: "string" }, reader.modules.at(module, node));
  return withKeywords(reader, type, value, { module, node: keywords ?? node });
}

/** The type, narrowed by keywords; one that does not fit is reported at the place. */
export function withKeywords(
  reader: Reader,
  type: TypeModel,
  schema: Schema,
  place: Place,
): TypeModel {
  for (const keyword of Object.keys(schema)) {
    const fit = schemaKeywords.get(keyword);
    if (fit !== undefined && fits(fit, type.schema)) continue;
    complain(
      reader,
      place,
      fit === undefined ? "unknown-keyword" : "keyword-of-other-type",
      fit === undefined
        ? `A schema has no keyword ${keyword}.`
        : `The keyword ${keyword} is on ${type.schema.type ?? "another type"}.`,
      fit === undefined
        ? didYouMean(keyword, schemaKeywords.keys(), "See docs/markers.md for the list.")
        : `Remove it, or make the type a${fit === "array" || fit === "object" ? "n" : ""} ${fit}.`,
    );
  }
  return narrow(type, schema, reader.modules.at(place.module, place.node));
}

/** Whether a keyword fits a type: on a type without a schema of its own, every keyword does. */
function fits(fit: KeywordTarget, { type, ...schema }: Schema): boolean {
  if (fit === "any" || type === undefined) return true;
  if (fit === "string" && schema["x-kubernetes-int-or-string"]) return true;
  return fit === "number" ? type === "integer" || type === "number" : fit === type;
}
