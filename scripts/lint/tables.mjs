// A constant table that is indexed by arbitrary text must be a Map (`tableOf`): an object also answers for
// `constructor` and `toString`. The rule needs types, so it is a program and not a rule of oxlint.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.build.json`, (path) => ts.sys.readFile(path));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();

const isText = (type) =>
  type.isUnion()
    ? type.types.some(isText)
    : (type.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0;

/** Whether a name means a constant of a module that is an object literal. */
function isConstantTable(name) {
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

for (const source of program.getSourceFiles()) {
  if (source.isDeclarationFile || source.fileName.includes("/src/generated/")) continue;
  const visit = (node) => {
    ts.forEachChild(node, visit);
    if (!ts.isElementAccessExpression(node) || !ts.isIdentifier(node.expression)) return;
    // The cheap question first: few names are constant tables, and a type is costly.
    if (!isConstantTable(node.expression)) return;
    if (!isText(checker.getTypeAtLocation(node.argumentExpression))) return;
    const { line, character } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const place = `${relative(root, source.fileName)}:${line + 1}:${character + 1}`;
    console.error(`${place}: Make the table a Map with tableOf (src/table.ts).`);
    process.exitCode = 1;
  };
  visit(source);
}
