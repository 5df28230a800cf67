/**
 * A rule for ESLint: a constant table that is asked for an arbitrary text is a Map (`tableOf`). An object answers for
 * `constructor` and `toString`, too.
 */
import ts from "typescript";

const isText = (type) =>
  type.isUnion()
    ? type.types.some(isText)
    : (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0;

/** Whether a name means a constant of a module that is an object literal. */
function isConstantTable(checker, name) {
  const symbol = checker.getSymbolAtLocation(name);
  if (!symbol) return false;
  const isImported = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const declaration = (isImported ? checker.getAliasedSymbol(symbol) : symbol).valueDeclaration;
  if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.initializer)
    return false;
  return (
    ts.isSourceFile(declaration.parent.parent.parent) &&
    ts.isObjectLiteralExpression(ts.skipOuterExpressions(declaration.initializer))
  );
}

export const tables = {
  rules: {
    "asked-for-text": {
      meta: {
        type: "problem",
        schema: [],
        messages: {
          object:
            "Make the table a Map with tableOf (src/table.ts): an object has `constructor`, too.",
        },
      },
      create(context) {
        const { program, esTreeNodeToTSNodeMap } = context.sourceCode.parserServices;
        const checker = program.getTypeChecker();
        return {
          "MemberExpression[computed=true][object.type='Identifier']"(node) {
            const { expression, argumentExpression } = esTreeNodeToTSNodeMap.get(node);
            if (!isText(checker.getTypeAtLocation(argumentExpression))) return;
            if (isConstantTable(checker, expression)) context.report({ node, messageId: "object" });
          },
        };
      },
    },
  },
};
