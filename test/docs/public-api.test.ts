import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ENTRIES = ["src/index.ts", "src/testing.ts", "src/testing-vitest.ts"].map(
  (file) => `${root}${file}`,
);

/** What the packages' entries export without a docstring: exports, and methods of exported types. */
function undocumented(): string[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(ENTRIES, { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const isDocumented = (symbol: ts.Symbol): boolean =>
    symbol.getDocumentationComment(checker).length > 0;
  const missing: string[] = [];
  for (const entry of ENTRIES) {
    const file = program.getSourceFile(entry);
    const exported = file && checker.getSymbolAtLocation(file);
    if (!exported) throw new Error(`${entry} exports nothing`);
    for (const named of checker.getExportsOfModule(exported)) {
      const symbol = named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
      if (!isDocumented(symbol)) missing.push(symbol.name);
      if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) continue;
      const methods = checker
        .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
        .filter(({ flags }) => flags & ts.SymbolFlags.Method)
        .filter(({ valueDeclaration }) => isOwnPublicMethod(valueDeclaration));
      for (const method of methods) {
        if (!isDocumented(method)) missing.push(`${symbol.name}.${method.name}`);
      }
    }
  }
  return missing;
}

function isOwnPublicMethod(declaration: ts.Declaration | undefined): boolean {
  if (!declaration || declaration.getSourceFile().fileName.includes("/node_modules/")) return false;
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && !ts.isPrivateIdentifier(name);
}

it("every export of the package, and every method of one, says what it promises", () => {
  expect(undocumented()).toEqual([]);
});
