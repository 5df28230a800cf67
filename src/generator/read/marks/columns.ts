/** The columns, the scale and the selectable fields of a kind. */
import { ts } from "../../load.ts";
import type { ColumnModel, KindModel, TypeModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { evaluate } from "../code/evaluate.ts";
import type { Decoration } from "./marks.ts";
import type { Module } from "../code/module.ts";
import { type ResolvedPath, readPath, uncheckedPath } from "../code/path.ts";
import { type Reader, complain } from "../code/reader.ts";
import { present } from "../../../present.ts";

export function readColumns(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): ColumnModel[] {
  return decorations
    .filter(({ name }) => name === "PrintColumn")
    .flatMap(({ call }) => {
      const [first, second, third] = call.arguments;
      const name = first && evaluate(reader, module, first);
      if (typeof name !== "string" || !second) {
        complain(
          reader,
          { module, node: call },
          "wrong-arguments",
          "@PrintColumn takes a name and a path.",
          'Write @PrintColumn("Ready", (web: MyWeb) => web.status?.ready).',
        );
        return [];
      }
      const options = third ? evaluate(reader, module, third) : {};
      if (!optionsAreKnown(reader, module, third ?? call, options)) return [];
      const { unchecked, ...said } = options;
      const path = unchecked
        ? uncheckedPath(reader, module, second)
        : readPath(reader, module, second, root);
      if (!path) return [];
      const type = said.type ?? columnType(reader, module, second, path);
      return type === undefined
        ? []
        : [{ ...said, name, jsonPath: path.jsonPath, type, at: reader.modules.at(module, call) }];
    });
}

type Said = Partial<Pick<ColumnModel, "type" | "format" | "description" | "priority">> & {
  readonly unchecked?: boolean;
};

const COLUMN_TYPES = ["integer", "number", "string", "boolean", "date"];
const COLUMN_OPTIONS = ["type", "format", "description", "priority", "unchecked"];

function optionsAreKnown(
  reader: Reader,
  module: Module,
  node: ts.Node,
  options: unknown,
): options is Said {
  if (typeof options !== "object" || options === null) {
    complain(
      reader,
      { module, node },
      "argument-not-constant",
      "The options of @PrintColumn are not known before the program runs.",
      "Write them as an object of constants.",
    );
    return false;
  }
  const wrong = Object.keys(options).find((name) => !COLUMN_OPTIONS.includes(name));
  const { type } = options as Said;
  if (wrong === undefined && (type === undefined || COLUMN_TYPES.includes(type))) return true;
  complain(
    reader,
    { module, node },
    wrong === undefined ? "wrong-option" : "unknown-option",
    wrong === undefined
      ? `A column cannot have the type ${String(type)}.`
      : `@PrintColumn has no option ${wrong}.`,
    wrong === undefined
      ? didYouMean(String(type), COLUMN_TYPES, `It takes ${COLUMN_TYPES.join(", ")}.`)
      : didYouMean(wrong, COLUMN_OPTIONS, `It takes ${COLUMN_OPTIONS.join(", ")}.`),
  );
  return false;
}

/** The type of a column is that of its field; a moment is shown as an age. */
function columnType(
  reader: Reader,
  module: Module,
  node: ts.Node,
  { type, jsonPath }: ResolvedPath,
): string | undefined {
  const { schema } = type;
  if (schema.type === "string") return schema.format === "date-time" ? "date" : "string";
  if (schema.type === "integer" || schema.type === "number" || schema.type === "boolean") {
    return schema.type;
  }
  if (schema["x-kubernetes-int-or-string"] ?? schema["x-kubernetes-preserve-unknown-fields"]) {
    return "string";
  }
  complain(
    reader,
    { module, node },
    "column-of-structure",
    `The column ${jsonPath} is ${schema.type === "array" ? "a list" : "an object"}; it would show nothing readable.`,
    'Choose a field in it, or use { type: "string" } to show it as JSON.',
  );
  return undefined;
}

export function readScale(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): KindModel["scale"] {
  const call = decorations.find(({ name }) => name === "Scale")?.call;
  const argument = call?.arguments[0];
  if (!call || !argument) return undefined;
  const paths = new Map<string, string>();
  if (ts.isObjectLiteralExpression(argument)) {
    const members = argument.properties.filter(ts.isPropertyAssignment);
    const nameOf = ({ name }: ts.PropertyAssignment): string => name.getText(module.file);
    const unchecked = members.some(
      (member) =>
        nameOf(member) === "unchecked" && evaluate(reader, module, member.initializer) === true,
    );
    for (const member of members) {
      if (nameOf(member) === "unchecked") continue;
      const path = unchecked
        ? uncheckedPath(reader, module, member.initializer)
        : readPath(reader, module, member.initializer, root);
      if (path) paths.set(nameOf(member), path.jsonPath);
    }
  }
  const [spec, status, selector] = ["spec", "status", "selector"].map((name) => paths.get(name));
  const wrong = [
    [spec, ".spec."],
    [status, ".status."],
  ].some(([path, start]) => path !== undefined && start !== undefined && !path.startsWith(start));
  if (spec === undefined || status === undefined || wrong) {
    complain(
      reader,
      { module, node: call },
      "wrong-scale",
      "@Scale needs the path of the wanted replicas below .spec, and of the seen ones below .status.",
      "Write @Scale({ spec: (web: MyWeb) => web.spec.replicas, status: (web: MyWeb) => web.status?.replicas }).",
    );
    return undefined;
  }
  const at = reader.modules.at(module, call);
  return { spec, status, ...present({ selector }), at };
}

const SELECTABLE = ["string", "boolean", "integer"];

export function readSelectable(
  reader: Reader,
  module: Module,
  decorations: readonly Decoration[],
  root: TypeModel,
): KindModel["selectable"] {
  return decorations
    .filter(({ name }) => name === "Selectable")
    .flatMap(({ call }) => {
      const [argument] = call.arguments;
      const path = argument && readPath(reader, module, argument, root);
      if (!path) return [];
      const kind = path.type.schema.type ?? "";
      const inMetadata = path.jsonPath.startsWith(".metadata.");
      if (inMetadata || path.throughList || !SELECTABLE.includes(kind)) {
        complain(
          reader,
          { module, node: argument },
          "not-selectable",
          `Field selectors cannot use ${path.jsonPath}.`,
          "Choose a string, a boolean or a whole number that is neither metadata nor inside a list.",
        );
        return [];
      }
      return [{ jsonPath: path.jsonPath, at: reader.modules.at(module, call) }];
    });
}
