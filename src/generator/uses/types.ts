/**
 * Written types, followed through the project: the types of their members, and the names behind
 * them.
 */
import { ts } from "../load.ts";
import type { Module } from "../read/code/module.ts";
import type { Found, Modules } from "../read/code/modules.ts";
import { EACH, type Path } from "./bindings.ts";

/** A written type, in the file in which it was written. */
interface Written {
  readonly node: ts.TypeNode;
  readonly module: Module;
}

/** Types that hold values of their first argument, one each or many. */
const ONE = new Set(
  "Promise PromiseLike Awaited Readonly NonNullable Partial Required Pick Omit NewObject Intent Token ResourceType".split(
    " ",
  ),
);
const MANY = new Set(
  "Array ReadonlyArray Iterable AsyncIterable IterableIterator Set ReadonlySet Generator AsyncGenerator".split(
    " ",
  ),
);

const MAX_STEPS = 20;

/** The types without a name of their own that a part of a type can be: unions, wrappers and aliases are opened. */
export function partsOf(
  modules: Modules,
  { node, module }: Written,
  path: Path,
  steps = 0,
): Written[] {
  if (steps > MAX_STEPS) return [];
  const at = (next: ts.TypeNode, rest: Path, file = module): Written[] =>
    partsOf(modules, { node: next, module: file }, rest, steps + 1);
  const [step, ...rest] = path;
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) {
    return node.types.flatMap((part) => at(part, path));
  }
  if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) return at(node.type, path);
  if (ts.isArrayTypeNode(node)) return step === undefined ? [] : at(node.elementType, rest);
  if (ts.isTupleTypeNode(node)) {
    const items = node.elements.map((item) => (ts.isNamedTupleMember(item) ? item.type : item));
    const wanted = step === EACH ? items : items.slice(Number(step), Number(step) + 1);
    return step === undefined ? [] : wanted.flatMap((item) => at(item, rest));
  }
  if (ts.isTypeLiteralNode(node))
    return memberOf(node.members, step).flatMap((one) => at(one, rest));
  if (!ts.isTypeReferenceNode(node)) {
    return ts.isTypeQueryNode(node) && step === undefined ? [{ node, module }] : [];
  }
  const name = ts.isIdentifier(node.typeName) ? node.typeName.text : "";
  const [first] = node.typeArguments ?? [];
  if (first && ONE.has(name)) return at(first, path);
  if (first && MANY.has(name)) return step === undefined ? [] : at(first, rest);
  const found = typeNamed(modules, module, node);
  if (found?.is === "declaration") {
    const { node: declared, module: file } = found;
    if (ts.isTypeAliasDeclaration(declared)) return at(declared.type, path, file);
    if (step !== undefined && (ts.isInterfaceDeclaration(declared) || ts.isClassLike(declared))) {
      return memberOf(declared.members, step).flatMap((one) => at(one, rest, file));
    }
  }
  return step === undefined ? [{ node, module }] : [];
}

/** The meaning of a type's name, that of a namespace too. */
export function typeNamed(
  modules: Modules,
  module: Module,
  { typeName }: ts.TypeReferenceNode,
): Found | undefined {
  if (ts.isIdentifier(typeName)) return modules.resolve(module, typeName.text);
  if (!ts.isIdentifier(typeName.left)) return undefined;
  const namespace = modules.resolve(module, typeName.left.text);
  return namespace?.is === "namespace"
    ? modules.resolveIn(namespace, typeName.right.text)
    : undefined;
}

function memberOf(
  members: readonly (ts.TypeElement | ts.ClassElement)[],
  step: string | typeof EACH | undefined,
): ts.TypeNode[] {
  return members.flatMap((member) => {
    const isField = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member);
    if (isField && member.type && member.name.getText() === step) return [member.type];
    if (!ts.isConstructorDeclaration(member)) return [];
    const parameter = member.parameters.find(
      (one) => ts.isParameterPropertyDeclaration(one, member) && one.name.getText() === step,
    );
    return parameter?.type ? [parameter.type] : [];
  });
}
