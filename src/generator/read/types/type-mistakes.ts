/** Mistakes in types, reported at the user's line. */
import type { ts } from "../../load.ts";
import type { TypeModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { CONSTRAINED } from "./constrained-type.ts";
import { evaluate, notConstant } from "../code/evaluate.ts";
import type { Contradiction } from "./intersection.ts";
import type { Declaration, Module } from "../code/module.ts";
import { whyNotConstant } from "../code/not-constant.ts";
import { attempt, type Found, type Reader, type Trail } from "../code/reader.ts";
import { scalars } from "./scalars.ts";
import { unsupported } from "./type-forms.ts";

/** The fix for the name of a type that is not there. */
export function wayToType(reader: Reader, name: string, { declarations, imports }: Module): string {
  if (scalars.has(name) || CONSTRAINED.includes(name))
    return `Add ${name} to the import from "tsop".`;
  if (reader.modules.isBuiltIn(name)) return `Import ${name} from "tsop/k8s".`;
  const near = [...declarations.keys(), ...imports.keys(), ...scalars.keys(), "string", "boolean"];
  return didYouMean(name, near, "Declare it, or import it.");
}

/** A type that contains itself. */
export function recursive(
  reader: Reader,
  node: ts.Node,
  module: Module,
  declaration: Declaration,
  trail: Trail,
): TypeModel {
  const cycle = [...trail.slice(trail.indexOf(declaration)), declaration]
    .map((step) => step.name?.getText() ?? "")
    .join(" -> ");
  return unsupported(
    reader,
    { module, node },
    "recursive-type",
    `${cycle}: a schema cannot contain itself.`,
    "Put @PreserveUnknownFields() with the type `unknown` on the field, or write out as many levels as you need.",
  );
}

/**
 * Reports a mistake in a type of a package where the type is used: nobody can mend it in the
 * package.
 */
export function foreign(
  reader: Reader,
  { node, module, from, in: user }: Found,
  read: (inner: Reader) => TypeModel,
): TypeModel {
  const isForeign = ({ path, builtIn }: Module): boolean =>
    !builtIn && path.includes("node_modules");
  if (!isForeign(module) || isForeign(user)) return read(reader);
  const { result, findings } = attempt(reader, read);
  const [first, ...others] = findings.sorted();
  if (!first) return result;
  const name = node.name?.getText(module.file) ?? "";
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return unsupported(
    reader,
    { module: user, node: from },
    "foreign-type",
    `${name} of ${first.file}:${first.line} has no schema: ${first.message.replace(/\.$/, "")}${more}.`,
    `Take the fields that you need, Pick<${name}, "...">, or declare your own type.`,
  );
}

/** The reason why the values of an enum are not known, as the end of a sentence. */
export function whyNotEnum(
  reader: Reader,
  module: Module,
  { members }: ts.EnumDeclaration,
): string {
  const wrong = members.find(
    ({ initializer }) => initializer && evaluate(reader, module, initializer) === notConstant,
  );
  return wrong?.initializer ? `: ${whyNotConstant(reader, module, wrong.initializer)}` : "";
}

/** A type that extends two which no value can be at once. */
export function contradicting(
  reader: Reader,
  declaration: ts.ClassDeclaration | ts.InterfaceDeclaration,
  module: Module,
  { path, first, second }: Contradiction,
): TypeModel {
  const where = path.length === 0 ? "" : `: ${path.join(".")}`;
  return unsupported(
    reader,
    { module, node: declaration.name ?? declaration },
    "contradiction",
    `No value can satisfy both extended types${where} would have to be both ${first} and ${second}.`,
    "Leave the field out of one of them with Omit, or give both the same type.",
  );
}
