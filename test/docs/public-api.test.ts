import ts from "typescript";
import { expect, it } from "vitest";
import { ENTRIES, programOf } from "../support/compiled.ts";

const EXPORTED = ["tsop", "tsop/testing", "tsop/testing/vitest"];

/** What the packages' entries export without a docstring: exports, and methods of exported types. */
function undocumented(): string[] {
  const text = EXPORTED.map((entry) => `import "${entry}";`).join("\n");
  const program = programOf(new Map([["test/docs/documented-entries.ts", text]]));
  const checker = program.getTypeChecker();
  const isDocumented = (symbol: ts.Symbol): boolean =>
    symbol.getDocumentationComment(checker).length > 0;
  const missing: string[] = [];
  for (const entry of EXPORTED) {
    const file = program.getSourceFile(ENTRIES[entry] ?? "");
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
