/** Kinds that are named at places from which they cannot be followed. */
import { ts } from "../load.ts";
import type { Module } from "../read/code/module.ts";
import type { Reader } from "../read/code/reader.ts";
import { type TokenModel, tokenOf } from "../read/marks/token.ts";
import { findBinding, plain } from "./bindings.ts";
import type { Callees } from "./callees.ts";
import type { KindFlow } from "./kind-flow.ts";
import { isLocal, isValueOf, lastName } from "./methods.ts";

interface EscapePorts {
  readonly reader: Reader;
  readonly module: Module;
  readonly flow: KindFlow;
  readonly callees: Callees;
}

/** Finds every name of a kind below `node` that was not followed to a use. */
export function findEscapes(
  ports: EscapePorts,
  node: ts.Node,
  tell: (token: TokenModel, node: ts.Node) => void,
): void {
  const { reader, module, flow } = ports;
  const isSilent =
    ts.isDecorator(node) ||
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isHeritageClause(node);
  if (isSilent) return;
  if (ts.isCallExpression(node) && !flow.followed.has(node) && !isStatement(node)) {
    const token = flow.dynamicToken(node);
    if (token) tell(token, node);
  }
  if (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) {
    const name = ts.isIdentifier(node) ? node : node.expression;
    const isValue = ts.isIdentifier(node) ? isValueOf(node) : true;
    const token =
      isValue && !flow.followed.has(name) && !isLocal(name)
        ? tokenOf(reader, module, node)
        : undefined;
    if (token && !isLeftAlone(ports, node)) tell(token, node);
    if (token ?? ts.isIdentifier(node)) return;
  }
  ts.forEachChild(node, (child) => {
    findEscapes(ports, child, tell);
  });
}

/** Whether a name is handed to a call that does nothing with a kind. */
function isLeftAlone({ reader, module, callees }: EscapePorts, node: ts.Expression): boolean {
  const { parent: call } = node;
  // Each mention of the variable is looked at by itself.
  if (ts.isVariableDeclaration(call) || ts.isExportAssignment(call)) return true;
  if (!ts.isCallExpression(call) && !ts.isNewExpression(call)) return false;
  const index = call.arguments?.indexOf(node) ?? -1;
  if (index < 0) return false;
  const callee = plain(call.expression);
  if (ts.isIdentifier(callee) && !findBinding(callee)) {
    const found = reader.modules.resolve(module, callee.text);
    if (found?.is === "tsop") return found.name !== "metadataOf";
  }
  if (isLookup(call, callee)) return true;
  const functions = callees.of(call);
  return (
    functions.length > 0 && functions.every((one) => leavesAlone(one, index, isStatement(call)))
  );
}

/** Whether a function only looks at what its parameter says. */
function leavesAlone(owner: ts.SignatureDeclaration, index: number, unused: boolean): boolean {
  const parameter = owner.parameters[index];
  if (!parameter || !ts.isIdentifier(parameter.name) || parameter.dotDotDotToken) return false;
  const { text } = parameter.name;
  const isHarmless = (node: ts.Node): boolean => {
    if (ts.isTypeNode(node) || node === parameter) return true;
    if (ts.isIdentifier(node) && node.text === text) {
      const { parent } = node;
      return !isValueOf(node) || (unused && ts.isReturnStatement(parent));
    }
    return ts.forEachChild(node, (child) => !isHarmless(child)) !== true;
  };
  return isHarmless(owner);
}

/** Whether a call looks something up: `map.get(Secret)` of a Map, `kinds.includes(Secret)`. */
function isLookup(call: ts.CallExpression | ts.NewExpression, callee: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(callee) || call.arguments?.length !== 1) return false;
  const name = lastName(callee);
  if (["has", "includes", "indexOf"].includes(name)) return true;
  if (name !== "get") return false;
  const on = plain(callee.expression);
  const { type, initializer } = (ts.isIdentifier(on) && findBinding(on)?.node) || {};
  const made = initializer ? plain(initializer) : on;
  return (
    (ts.isNewExpression(made) && /^(?:Weak)?Map$/.test(made.expression.getText())) ||
    /^(?:Weak|Readonly)?Map</.test(type?.getText() ?? "")
  );
}

/** Whether nothing is done with the result of a call. */
function isStatement(call: ts.Node): boolean {
  let { parent } = call;
  while (ts.isAwaitExpression(parent) || ts.isVoidExpression(parent)) ({ parent } = parent);
  return ts.isExpressionStatement(parent);
}
