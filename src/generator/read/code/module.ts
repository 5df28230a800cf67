/** A file of the user's, parsed: its declarations, imports and exports. */
import { ts } from "../../load.ts";

/** The declarations that a name of a file can stand for. */
export type Declaration =
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.EnumDeclaration
  | ts.VariableDeclaration
  | ts.FunctionDeclaration;

interface Import {
  readonly specifier: string;
  /** The exported name; `*` for the namespace. */
  readonly name: string;
}

/** A parsed file. */
export interface Module {
  readonly path: string;
  readonly file: ts.SourceFile;
  /** What a name stands for; of a type and a constant of one name, the type. */
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Variables, by their names. */
  readonly values: ReadonlyMap<string, ts.VariableDeclaration>;
  /** Further interfaces of a name that `declarations` has: TypeScript takes them for one. */
  readonly merged: ReadonlyMap<string, readonly ts.InterfaceDeclaration[]>;
  readonly imports: ReadonlyMap<string, Import>;
  /** Names that are exported under another name, or from another file. */
  readonly exports: ReadonlyMap<string, Import | { readonly local: string }>;
  readonly exportStars: readonly string[];
  /**
   * Whether it is a declaration of `tsop/k8s`: literal unions there are documentation, not rules.
   */
  readonly builtIn: boolean;
}

/** Parses a file. Errors of the parser are in the result, and `Modules` reports them. */
export function parseModule(path: string, text: string, builtIn = false): Module {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const declarations = new Map<string, Declaration>();
  const values = new Map<string, ts.VariableDeclaration>();
  const merged = new Map<string, ts.InterfaceDeclaration[]>();
  const imports = new Map<string, Import>();
  const exports = new Map<string, Import | { readonly local: string }>();
  const exportStars: string[] = [];

  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) {
      readImport(statement, imports);
    } else if (ts.isExportDeclaration(statement)) {
      const specifier = specifierOf(statement);
      const clause = statement.exportClause;
      if (!clause) {
        if (specifier !== undefined) exportStars.push(specifier);
      } else if (ts.isNamedExports(clause)) {
        for (const { name, propertyName } of clause.elements) {
          const original = (propertyName ?? name).text;
          exports.set(
            name.text,
            specifier === undefined ? { local: original } : { specifier, name: original },
          );
        }
      } else if (specifier !== undefined) {
        exports.set(clause.name.text, { specifier, name: "*" });
      }
    } else if (ts.isVariableStatement(statement)) {
      for (const declaration of statement.declarationList.declarations) {
        if (!ts.isIdentifier(declaration.name)) continue;
        const { text: name } = declaration.name;
        values.set(name, declaration);
        // A type of the same name says more: the built-in kinds are both.
        if (!declarations.has(name)) declarations.set(name, declaration);
      }
    } else if (ts.isExportAssignment(statement)) {
      const { expression } = statement;
      if (ts.isIdentifier(expression)) exports.set("default", { local: expression.text });
    } else if (
      ts.isClassDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement) ||
      ts.isFunctionDeclaration(statement)
    ) {
      if (statement.name) declare(statement.name.text, statement, declarations, merged);
      if (ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) {
        exports.set("default", { local: statement.name?.text ?? "default" });
      }
    }
  }
  return { path, file, declarations, values, merged, imports, exports, exportStars, builtIn };
}

/** A class or the first interface stands for its name; interfaces of the same name add to it. */
function declare(
  name: string,
  node: Declaration,
  declarations: Map<string, Declaration>,
  merged: Map<string, ts.InterfaceDeclaration[]>,
): void {
  const before = declarations.get(name);
  const add = (part: ts.InterfaceDeclaration): void => {
    merged.set(name, [...(merged.get(name) ?? []), part]);
  };
  const merges = before && (ts.isInterfaceDeclaration(before) || ts.isClassDeclaration(before));
  if (merges && ts.isInterfaceDeclaration(node)) {
    add(node);
    return;
  }
  if (before && ts.isInterfaceDeclaration(before) && ts.isClassDeclaration(node)) add(before);
  declarations.set(name, node);
}

function readImport(statement: ts.ImportDeclaration, imports: Map<string, Import>): void {
  const specifier = specifierOf(statement);
  const clause = statement.importClause;
  if (specifier === undefined || !clause) return;
  if (clause.name) imports.set(clause.name.text, { specifier, name: "default" });
  const bindings = clause.namedBindings;
  if (!bindings) return;
  if (ts.isNamespaceImport(bindings)) {
    imports.set(bindings.name.text, { specifier, name: "*" });
    return;
  }
  for (const { name, propertyName } of bindings.elements) {
    imports.set(name.text, { specifier, name: (propertyName ?? name).text });
  }
}

function specifierOf(statement: ts.ImportDeclaration | ts.ExportDeclaration): string | undefined {
  const { moduleSpecifier } = statement;
  return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
}
