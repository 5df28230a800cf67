/**
 * Reads paths into an object: typed lambdas and JSONPath texts, checked against the kind's schema.
 */
import type { Schema } from "../../../kube/schema/structural.ts";
import { ts } from "../../load.ts";
import type { TypeModel } from "../../model.ts";
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { evaluate } from "./evaluate.ts";
import { leaf } from "./keywords.ts";
import type { Module } from "./module.ts";
import { type Place, type Reader, complain } from "./reader.ts";
import { tableOf } from "../../../table.ts";

type Step =
  | { readonly field: string }
  | { readonly index: number }
  | { readonly where: string; readonly equals: string };

/** A path that exists, and what is there. */
export interface ResolvedPath {
  readonly jsonPath: string;
  readonly type: TypeModel;
  /** Whether it goes through a list. */
  readonly throughList: boolean;
}

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };
const date: Schema = { type: "string", format: "date-time" };

/** The fields of the metadata that a path may name. */
const METADATA = tableOf<Schema>({
  name: text,
  generateName: text,
  namespace: text,
  uid: text,
  resourceVersion: text,
  generation: { type: "integer", format: "int64" },
  creationTimestamp: date,
  deletionTimestamp: date,
  deletionGracePeriodSeconds: { type: "integer", format: "int64" },
  labels: texts,
  annotations: texts,
  finalizers: { type: "array", items: text },
});

/** Reads a path argument; `false` when it is none or leads nowhere, which is noted. */
export function readPath(
  reader: Reader,
  module: Module,
  node: ts.Expression,
  root: TypeModel,
): ResolvedPath | false {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
    const steps = lambdaSteps(reader, module, node);
    return steps && follow(reader, { module, node }, root, steps, formatSteps(steps));
  }
  const path = evaluate(reader, module, node);
  if (typeof path === "string" && path.startsWith(".")) {
    const steps = textSteps(path);
    if (steps) return follow(reader, { module, node }, root, steps, path);
    // JSONPath can say more than is checked here; the API server takes it as it is.
    return taken(reader, module, node, path);
  }
  return noPath(reader, module, node);
}

/** A path, as text, that is taken as it is; `false` when it is none, which is noted. */
export function uncheckedPath(
  reader: Reader,
  module: Module,
  node: ts.Expression,
): ResolvedPath | false {
  const path = evaluate(reader, module, node);
  return typeof path === "string"
    ? taken(reader, module, node, path)
    : noPath(reader, module, node);
}

function taken(reader: Reader, module: Module, node: ts.Node, jsonPath: string): ResolvedPath {
  return { jsonPath, type: leaf(text, reader.modules.at(module, node)), throughList: true };
}

function noPath(reader: Reader, module: Module, node: ts.Node): false {
  complain(
    reader,
    { module, node },
    "not-a-path",
    `\`${node.getText(module.file)}\` is not a path to a field.`,
    "Write a function that returns a field of its argument, such as (web: MyWeb) => web.status?.ready.",
  );
  return false;
}

function lambdaSteps(
  reader: Reader,
  module: Module,
  node: ts.ArrowFunction | ts.FunctionExpression,
): Step[] | false {
  const [parameter] = node.parameters;
  const body = returned(node.body);
  if (!parameter || !body || !ts.isIdentifier(parameter.name)) return noPath(reader, module, node);
  return steps(reader, module, body, parameter.name.text) ?? noPath(reader, module, body);
}

function returned(body: ts.ConciseBody): ts.Expression | undefined {
  if (!ts.isBlock(body)) return body;
  const [only] = body.statements;
  return only && ts.isReturnStatement(only) ? only.expression : undefined;
}

/** The steps from `parameter` to the value of an expression. */
function steps(
  reader: Reader,
  module: Module,
  node: ts.Expression,
  parameter: string,
): Step[] | undefined {
  const before = (inner: ts.Expression): Step[] | undefined =>
    steps(reader, module, inner, parameter);
  if (ts.isIdentifier(node)) return node.text === parameter ? [] : undefined;
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) {
    return before(node.expression);
  }
  if (ts.isPropertyAccessExpression(node)) {
    const head = before(node.expression);
    return head && [...head, { field: node.name.text }];
  }
  if (ts.isElementAccessExpression(node)) {
    const head = before(node.expression);
    const key = evaluate(reader, module, node.argumentExpression);
    if (!head) return undefined;
    if (typeof key === "string") return [...head, { field: key }];
    return typeof key === "number" ? [...head, { index: key }] : undefined;
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const head = before(node.expression.expression);
    const found = node.expression.name.text === "find" && condition(reader, module, node);
    return head && found ? [...head, found] : undefined;
  }
  return undefined;
}

/** Reads `find((item) => item.type === "Ready")`: the item whose field has that value. */
function condition(
  reader: Reader,
  module: Module,
  call: ts.CallExpression,
): { where: string; equals: string } | undefined {
  const [test] = call.arguments;
  if (!test || !ts.isArrowFunction(test)) return undefined;
  const [item] = test.parameters;
  const body = returned(test.body);
  if (!item || !body || !ts.isBinaryExpression(body)) return undefined;
  const { left, right, operatorToken } = body;
  const equality =
    operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken ||
    operatorToken.kind === ts.SyntaxKind.EqualsEqualsToken;
  const value = evaluate(reader, module, right);
  const where = fieldOfItem(left, item.name);
  return equality && where !== undefined && typeof value === "string"
    ? { where, equals: value }
    : undefined;
}

/** The field that `item.type`, or `type` of a destructured `{ type }`, stands for. */
function fieldOfItem(node: ts.Expression, item: ts.BindingName): string | undefined {
  if (ts.isIdentifier(item)) {
    const named =
      ts.isPropertyAccessExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === item.text;
    return named ? node.name.text : undefined;
  }
  if (!ts.isObjectBindingPattern(item) || !ts.isIdentifier(node)) return undefined;
  const bound = item.elements.find(({ name }) => ts.isIdentifier(name) && name.text === node.text);
  const name = bound?.propertyName ?? bound?.name;
  return name && ts.isIdentifier(name) ? name.text : undefined;
}

const STEP =
  /^(?:\.([A-Za-z_][\w-]*)|\['([^']+)'\]|\[(\d+)\]|\[\?\(@\.([A-Za-z_]\w*)\s*==\s*["']([^"']*)["']\)\])/;

function textSteps(path: string): Step[] | undefined {
  const found: Step[] = [];
  let rest = path;
  while (rest !== "") {
    const match = STEP.exec(rest);
    if (!match) return undefined;
    const [whole, field, quoted, index, where, equals] = match;
    if (field !== undefined || quoted !== undefined) found.push({ field: field ?? quoted ?? "" });
    else if (index !== undefined) found.push({ index: Number(index) });
    else found.push({ where: where ?? "", equals: equals ?? "" });
    rest = rest.slice(whole.length);
  }
  return found;
}

function formatSteps(path: readonly Step[]): string {
  return path
    .map((step) => {
      if ("index" in step) return `[${step.index}]`;
      if ("where" in step) return `[?(@.${step.where}==${JSON.stringify(step.equals)})]`;
      // A dot inside a key would be read as a step.
      return /^[A-Za-z_][\w-]*$/.test(step.field)
        ? `.${step.field}`
        : `.${step.field.replaceAll(".", "\\.")}`;
    })
    .join("");
}

function follow(
  reader: Reader,
  place: Place,
  root: TypeModel,
  path: readonly Step[],
  jsonPath: string,
): ResolvedPath | false {
  let type = root;
  let throughList = false;
  for (const [index, step] of path.entries()) {
    if ("field" in step) {
      const inMetadata = index === 1 && jsonPath.startsWith(".metadata");
      const next = inMetadata ? metadataField(type, step.field) : fieldOf(type, step.field);
      if (!next) {
        const names = inMetadata ? [...METADATA.keys()] : namesOf(type);
        return noField(reader, place, step.field, jsonPath, names);
      }
      type = next;
    } else {
      throughList = true;
      const item = type.items ?? itemOf(type);
      if (!item) return noField(reader, place, "an item", jsonPath, namesOf(type));
      if ("where" in step && !fieldOf(item, step.where)) {
        return noField(reader, place, step.where, jsonPath, namesOf(item));
      }
      type = item;
    }
  }
  return { jsonPath, type, throughList };
}

function metadataField(type: TypeModel, name: string): TypeModel | undefined {
  const schema = METADATA.get(name);
  return schema && leaf(schema, type.at);
}

function itemOf({ schema, at }: TypeModel): TypeModel | undefined {
  return schema.items && leaf(schema.items, at);
}

function fieldOf(type: TypeModel, name: string): TypeModel | undefined {
  const property = type.properties?.find((candidate) => candidate.name === name);
  if (property) return property.type;
  if (type.values) return type.values;
  const { properties, additionalProperties } = type.schema;
  const known = properties?.[name];
  if (known) return leaf(known, type.at);
  if (typeof additionalProperties === "object") return leaf(additionalProperties, type.at);
  return type.schema["x-kubernetes-preserve-unknown-fields"] ? leaf({}, type.at) : undefined;
}

const namesOf = (type: TypeModel): string[] => (type.properties ?? []).map(({ name }) => name);

function noField(
  reader: Reader,
  place: Place,
  field: string,
  path: string,
  names: readonly string[],
): false {
  complain(
    reader,
    place,
    "path-leads-nowhere",
    `The path ${path} refers to ${field}, which does not exist.`,
    didYouMean(field, names, `There is: ${names.join(", ") || "nothing"}.`),
  );
  return false;
}
