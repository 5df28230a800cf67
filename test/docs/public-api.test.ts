import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ENTRIES = ["src/index.ts", "src/testing.ts", "src/testing-vitest.ts"].map(
  (file) => `${root}${file}`,
);

/** What the packages' entries export. */
function publicSymbols(): { readonly checker: ts.TypeChecker; readonly exports: ts.Symbol[] } {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, (file) => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(ENTRIES, { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const exports = ENTRIES.flatMap((entry) => {
    const file = program.getSourceFile(entry);
    const exported = file && checker.getSymbolAtLocation(file);
    if (!exported) throw new Error(`${entry} exports nothing`);
    return checker
      .getExportsOfModule(exported)
      .map((named) =>
        named.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named,
      );
  });
  return { checker, exports };
}

/** What is exported without a docstring: exports, and methods of exported types. */
function undocumented(): string[] {
  const { checker, exports } = publicSymbols();
  const isDocumented = (symbol: ts.Symbol): boolean =>
    symbol.getDocumentationComment(checker).length > 0;
  const missing: string[] = [];
  for (const symbol of exports) {
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
  return missing;
}

function isOwnPublicMethod(declaration: ts.Declaration | undefined): boolean {
  if (!declaration || declaration.getSourceFile().fileName.includes("/node_modules/")) return false;
  const name = ts.getNameOfDeclaration(declaration);
  return name !== undefined && !ts.isPrivateIdentifier(name);
}

/** The values that the packages' entries export without an example in their docstring, or with an empty one. */
function withoutExample(): string[] {
  const { checker, exports } = publicSymbols();
  return exports.flatMap((symbol) => {
    if (!(symbol.flags & ts.SymbolFlags.Value)) return [];
    const example = symbol.getJsDocTags(checker).find(({ name }) => name === "example");
    const text = ts.displayPartsToString(example?.text).trim();
    return text === "" ? [symbol.name] : [];
  });
}

it("every value that the package exports is shown in an example", () => {
  expect(withoutExample()).toEqual([]);
});

it("every export of the package, and every method of one, says what it promises", () => {
  expect(undocumented()).toEqual([]);
});
