/** Turns template literal types into patterns: `${number}s` is `^-?[0-9]+(\.[0-9]+)?s$`. */
import { ts } from "../../load.ts";
import { literalsOf } from "./literals.ts";
import type { Reader, Scope } from "../code/reader.ts";
import { literalPattern } from "../../../kube/text/literal-pattern.ts";

/** The pattern of the texts that a template stands for; `undefined` where a part has none. */
export function patternOf(
  reader: Reader,
  node: ts.TemplateLiteralTypeNode,
  scope: Scope,
): string | undefined {
  const parts = [literalPattern(node.head.text)];
  for (const { type, literal } of node.templateSpans) {
    const part = partOf(reader, type, scope);
    if (part === undefined) return undefined;
    parts.push(part, literalPattern(literal.text));
  }
  return `^${parts.join("")}$`;
}

function partOf(reader: Reader, node: ts.TypeNode, scope: Scope): string | undefined {
  const values = literalsOf(reader, node, scope);
  if (values) return `(${values.map((value) => literalPattern(String(value))).join("|")})`;
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword:
      return ".*";
    case ts.SyntaxKind.BooleanKeyword:
      return "(true|false)";
    case ts.SyntaxKind.NumberKeyword:
      return "-?[0-9]+(\\.[0-9]+)?";
    case ts.SyntaxKind.TypeReference:
      return /^Int(?:32|64)?$/.test(node.getText(scope.module.file)) ? "-?[0-9]+" : undefined;
    default:
      return undefined;
  }
}
