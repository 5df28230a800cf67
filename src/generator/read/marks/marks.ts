/**
 * The markers that stand on a declaration, as decorators and as JSDoc tags, with their arguments.
 */
import { type MarkerDefinition } from "../../../markers/marker.ts";
import { classMarkers, fieldMarkers } from "../../../markers/registry.ts";
import { ts } from "../../load.ts";
import type { Position } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { descriptionOf, tagsOf } from "../code/documentation.ts";
import { composedOf } from "./composed-marks.ts";
import { fromGoName } from "./go-names.ts";
import { evaluate, notConstant, partsOf } from "../code/evaluate.ts";
import { whyNotConstant } from "../code/not-constant.ts";
import type { Module } from "../code/module.ts";
import { type Reader, complain, count } from "../code/reader.ts";

/** A field marker with its values. */
export interface Mark {
  /** The marker as the user wrote it: `@Minimum`, or `@minimum` in JSDoc. */
  readonly shown: string;
  readonly definition: MarkerDefinition;
  readonly values: readonly unknown[];
  readonly at: Position;
}

/** A marker of `tsop` on a declaration, not yet read. */
export interface Decoration {
  readonly name: string;
  readonly call: ts.CallExpression;
  /** A decorator of the user's own, which applies the marker: the call's arguments are read there. */
  readonly within?: { readonly reader: Reader; readonly module: Module; readonly at: Position };
}

/** The tags that are field markers too: `@minimum 1`. `@enum` and `@ignore` mean other things in JSDoc. */
const tagMarkers: ReadonlyMap<string, MarkerDefinition> = new Map(
  [...fieldMarkers]
    .map(
      ([name, definition]) =>
        [`${name[0]?.toLowerCase() ?? ""}${name.slice(1)}`, definition] as const,
    )
    .filter(([name]) => name !== "enum" && name !== "ignore" && name !== "rawSchema"),
);

/** The names of all markers, for suggestions. */
const known = (): string[] => [...fieldMarkers.keys(), ...classMarkers];

/** The decorators of `tsop` on a node, in source order. Those of other packages are left out. */
export function decorationsOf(reader: Reader, module: Module, node: ts.Node): Decoration[] {
  if (!ts.canHaveDecorators(node)) return [];
  const decorations: Decoration[] = [];
  for (const { expression } of ts.getDecorators(node) ?? []) {
    const call = ts.isCallExpression(expression) ? expression : undefined;
    const name = markerName(reader, module, call ? call.expression : expression);
    if (name === undefined) {
      decorations.push(...composed(reader, module, expression));
      continue;
    }
    if (!fieldMarkers.has(name) && !classMarkers.includes(name)) {
      complain(
        reader,
        { module, node: expression },
        "unknown-marker",
        `There is no marker @${name}.`,
        fromGoName(name) ?? didYouMean(name, known(), "See docs/markers.md for the list."),
      );
    } else if (call) {
      decorations.push({ name, call });
    } else {
      complain(
        reader,
        { module, node: expression },
        "marker-not-called",
        `@${name} has no effect without parentheses.`,
        `Write @${name}().`,
      );
    }
  }
  return decorations;
}

/** The markers that a decorator of the user's own applies. */
function composed(reader: Reader, module: Module, expression: ts.Expression): Decoration[] {
  const followed = composedOf(reader, module, expression);
  if (followed === undefined) return [];
  const isClear =
    followed !== "not followed" && followed.every(({ name }) => fieldMarkers.has(name));
  if (isClear) {
    const at = reader.modules.at(module, expression);
    return followed.map(({ name, call, ...place }) => ({ name, call, within: { ...place, at } }));
  }
  const name = (ts.isCallExpression(expression) ? expression.expression : expression).getText();
  complain(
    reader,
    { module, node: expression },
    "decorator-not-followed",
    `The decorator @${name} applies tsop markers but also does something else, so tsop cannot read it.`,
    "Write it as a function that returns (target, key) => { Minimum(1)(target, key); } and the like, or put the markers here.",
  );
  return [];
}

/** The most names that one marker has, each of the next. */
const MOST_NAMES = 16;

/** The name of the marker that an expression stands for, when it is one of `tsop`. */
function markerName(
  reader: Reader,
  module: Module,
  node: ts.Expression,
  steps = 0,
): string | undefined {
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    const namespace = reader.modules.resolve(module, node.expression.text);
    return namespace?.is === "namespace" && namespace.specifier === "tsop"
      ? node.name.text
      : undefined;
  }
  if (!ts.isIdentifier(node)) return undefined;
  const found = reader.modules.resolve(module, node.text);
  if (found?.is === "declaration" && ts.isVariableDeclaration(found.node)) {
    // Another name for a marker.
    const { initializer } = found.node;
    const isName =
      initializer && (ts.isIdentifier(initializer) || ts.isPropertyAccessExpression(initializer));
    return isName && steps < MOST_NAMES
      ? markerName(reader, found.module, initializer, steps + 1)
      : undefined;
  }
  if (found) return found.is === "tsop" ? found.name : undefined;
  if (module.imports.has(node.text)) return undefined;
  complain(
    reader,
    { module, node },
    "unknown-marker",
    `@${node.text} is neither declared nor imported.`,
    fieldMarkers.has(node.text) || classMarkers.includes(node.text)
      ? `Add ${node.text} to the import from "tsop".`
      : (fromGoName(node.text) ?? didYouMean(node.text, known(), "Import it, or remove it.")),
  );
  return undefined;
}

/** The field markers on a declaration: decorators first, then JSDoc tags. */
export function marksOf(reader: Reader, module: Module, node: ts.Node): Mark[] {
  const marks: Mark[] = [];
  for (const { name, call, within } of decorationsOf(reader, module, node)) {
    const definition = fieldMarkers.get(name);
    if (definition) {
      const place = within ?? { reader, module, at: reader.modules.at(module, call) };
      const values = argumentsOf(place.reader, place.module, call);
      if (values) addMark(reader, marks, definition, { shown: `@${name}`, values, at: place.at });
    } else if (!ts.isClassDeclaration(node)) {
      complain(
        reader,
        { module, node: call },
        "marker-needs-class",
        `@${name} is on a field.`,
        "Move it to the class.",
      );
    }
  }
  complainOfGo(reader, module, node);
  for (const { name, text, node: tag } of tagsOf(node, module)) {
    const definition = tagMarkers.get(name);
    if (!definition) {
      complainOfTag(reader, module, name, tag);
      continue;
    }
    const [only] = definition.parameters;
    const texts =
      only === undefined
        ? []
        : definition.last === "repeated"
          ? text.split(/[\s,]+/).filter((word) => word !== "")
          : [text];
    const values = texts.map((word) => only?.parse(word));
    if (name === "pattern" && /^\/.*\/[a-z]*$/.test(text)) {
      complain(
        reader,
        { module, node: tag },
        "wrong-argument",
        "@pattern takes the pattern without slashes.",
        `Write @pattern ${text.replace(/^\/|\/[a-z]*$/g, "")}`,
      );
      continue;
    }
    // A JSDoc `@example` is code more often than JSON.
    if (name === "example" && typeof values[0] === "string" && !text.startsWith('"')) continue;
    addMark(reader, marks, definition, {
      shown: `@${name}`,
      values,
      at: reader.modules.at(module, tag),
    });
  }
  return marks;
}

/** Whether the project's own code is read: nobody can change the comments of packages. */
const isOwn = ({ builtIn, path }: Module): boolean => !builtIn && !path.includes("node_modules");

/** Reports a marker of controller-gen in a comment: it would be a part of the description. */
function complainOfGo(reader: Reader, module: Module, node: ts.Node): void {
  const [, shown, name = ""] = GO_MARKER.exec(descriptionOf(node) ?? "") ?? [];
  if (shown === undefined || !isOwn(module)) return;
  const meant = [...tagMarkers.keys()].find((known) => known.toLowerCase() === name.toLowerCase());
  complain(
    reader,
    { module, node },
    "unknown-marker",
    `The comment has ${shown}, which is a marker of controller-gen.`,
    fromGoName(name) ??
      (meant === undefined
        ? "See docs/markers.md for the list."
        : `Write @${meant}, or the decorator.`),
  );
}

const GO_MARKER =
  /^\s*(\+(?:kubebuilder:(?:\w+:)*|k8s:|(?=optional|required|nullable|list))(\w+))/m;

/** Reports a tag that is a marker's but for its letters' case, or is short for one: it would do nothing. */
function complainOfTag(reader: Reader, module: Module, name: string, tag: ts.JSDocTag): void {
  const spelled = name.toLowerCase();
  const meant =
    { min: "minimum", max: "maximum" }[spelled] ??
    [...tagMarkers.keys()].find((known) => known.toLowerCase() === spelled);
  if (meant === undefined || !isOwn(module)) return;
  complain(
    reader,
    { module, node: tag },
    "unknown-marker",
    `The tag @${name} is no marker.`,
    `Write @${meant}.`,
  );
}

/** The values of a call's arguments; `undefined` when one is not constant, which is noted. */
export function argumentsOf(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): unknown[] | undefined {
  const values = call.arguments.map((argument) => {
    if (!ts.isSpreadElement(argument)) return [evaluate(reader, module, argument)];
    const list = evaluate(reader, module, argument.expression);
    return Array.isArray(list) ? (list as unknown[]) : [notConstant];
  });
  const wrong = values.findIndex((given) => given.includes(notConstant));
  if (wrong < 0) {
    for (const value of values.flat()) count(reader, partsOf(value) - 1);
    return values.flat();
  }
  const argument = call.arguments[wrong] ?? call;
  complain(
    reader,
    { module, node: argument },
    "argument-not-constant",
    `The argument \`${argument.getText(module.file)}\` is not known before the program runs: ${whyNotConstant(reader, module, ts.isSpreadElement(argument) ? argument.expression : argument)}.`,
    "Use a literal, a constant or an enum member.",
  );
  return undefined;
}

/** The value for a message; JSON has no word for numbers beyond all bounds. */
const shownValue = (value: unknown): string =>
  typeof value === "number" ? String(value) : JSON.stringify(value);

/** The text or the option that was meant, where one is near. */
function suggestion(value: unknown, names: readonly string[] = []): string | undefined {
  const typed = typeof value === "string" ? [value] : Object.keys(value ?? {});
  const wrong = typed.find((name) => !names.includes(name));
  const fix = wrong === undefined ? "" : didYouMean(wrong, names, "");
  return fix === "" ? undefined : fix;
}

/** A marker as somebody wrote it. */
interface Written {
  readonly shown: string;
  readonly values: readonly unknown[];
  readonly at: Position;
}

function addMark(
  reader: Reader,
  marks: Mark[],
  definition: MarkerDefinition,
  { shown, values, at }: Written,
): void {
  const { parameters, last } = definition;
  const least = last === "optional" ? parameters.length - 1 : parameters.length;
  if (values.length < least || (last !== "repeated" && values.length > parameters.length)) {
    const wanted = parameters.map(({ says }) => says).join(" and ");
    reader.findings.error(
      at,
      "wrong-arguments",
      `${shown} takes ${wanted === "" ? "no argument" : wanted}.`,
      wanted === "" ? "Leave the parentheses empty." : `Write ${shown} with ${wanted}.`,
    );
    return;
  }
  const wrong = values.findIndex(
    (value, index) => !(parameters[index] ?? parameters.at(-1))?.accepts(value),
  );
  if (wrong >= 0) {
    const parameter = parameters[wrong] ?? parameters.at(-1);
    reader.findings.error(
      at,
      "wrong-argument",
      `${shown} takes ${parameter?.says ?? "nothing"}, got ${shownValue(values[wrong])}.`,
      suggestion(values[wrong], parameter?.names) ??
        `Give ${shown} ${parameter?.says ?? "no argument"}.`,
    );
    return;
  }
  marks.push({ shown, definition, values, at });
}
