/**
 * The public API as one readable text per entry of the package: every exported declaration, without comments and bodies, in
 * the order of their names; after them those that only they name. Of `tsop/k8s`, which is generated, the names.
 */
import { dirname, resolve } from "node:path";
import ts from "typescript";
import { formatted } from "../docs/formatted.ts";
import { packageEntries, type PackageEntry } from "./package-entries.ts";

/**
 * The file with the report of an entry: a list of names for `tsop/k8s`, declarations for all
 * others.
 */
export function reportPathOf({ specifier }: PackageEntry): string {
  return `api/${specifier.replace("tsop/", "").replaceAll("/", "-")}.${specifier === "tsop/k8s" ? "txt" : "d.ts"}`;
}

const HEAD =
  "The public API of SPECIFIER, for reviews: a change of it is seen here.\nMade from the code by `npm run make -- api`.";
const NOT_EXPORTED = "// Named by these, and not exported.";
/** The files of `tsop/k8s`. */
const GENERATED = /\/generated\/k8s\//;

/** The place of a declaration. */
interface Place {
  readonly file: string;
  readonly name: string;
  /**
   * Whether the name is exported as a value too: nobody outside of the package calls the
   * constructor of a class that is not.
   */
  readonly isValue?: boolean;
}

/** All reports, by their path. */
export async function apiReports(root: string): Promise<ReadonlyMap<string, string>> {
  const sources = packageEntries(root);
  const declarations = new Declarations(root, sources);
  const entries = sources.map((entry) => ({
    specifier: entry.specifier,
    path: reportPathOf(entry),
    exported: declarations.exportsOf(`${root}${entry.source}`),
  }));
  const reports = new Map<string, string>();
  for (const { path, specifier, exported } of entries) {
    const elsewhere = entries.flatMap((other) => [...other.exported.values()].map(idOf));
    const head = HEAD.replace("SPECIFIER", specifier);
    const text = path.endsWith(".txt")
      ? `${head}\n\n${namesOf(exported, declarations).join("\n")}\n`
      : await formatted(
          path,
          `${head.replaceAll(/^/gm, "// ")}\n\n${declarationsOf(exported, elsewhere, declarations)}`,
        );
    reports.set(path, text);
  }
  return reports;
}

function idOf({ file, name }: Place): string {
  return `${file} ${name}`;
}

/** @param elsewhere - what some entry exports, and is shown there */
function declarationsOf(
  exported: ReadonlyMap<string, Place>,
  elsewhere: readonly string[],
  declarations: Declarations,
): string {
  const named: (readonly [string, Place])[] = [];
  const seen = new Set(elsewhere);
  const follow = (place: Place): void => {
    for (const other of declarations.namedBy(place)) {
      if (seen.has(idOf(other))) continue;
      seen.add(idOf(other));
      named.push([other.name, other]);
      follow(other);
    }
  };
  for (const place of exported.values()) follow(place);
  const textOf = ([name, place]: readonly [string, Place]): string =>
    (name === place.name ? "" : `// As ${name}:\n`) + declarations.textOf(place);
  const texts = [...exported].sort(byName).map(textOf);
  const others = named.sort(byName).map(textOf);
  return [...texts, ...(others.length > 0 ? [NOT_EXPORTED, ...others] : [])].join("\n\n");
}

function namesOf(exported: ReadonlyMap<string, Place>, declarations: Declarations): string[] {
  return [...exported].sort(byName).map(([name, place]) => {
    const token = /const \w+: KnownKind<\w+, "(.*?)", "(.*?)", "(.*?)", "(.*?)", (\w+)>/.exec(
      declarations.textOf(place),
    );
    if (!token) return name;
    const [, group, version, kind, plural, namespaced] = token;
    const scope = namespaced === "true" ? "namespaced" : "cluster";
    return `${name}: ${group ? `${group}/` : ""}${version ?? ""} ${kind ?? ""}, ${plural ?? ""}, ${scope}`;
  });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The declarations that the compiler makes of the sources. */
class Declarations {
  readonly #files = new Map<string, ts.SourceFile>();
  readonly #statements = new Map<string, Map<string, ts.Statement[]>>();

  constructor(root: string, entries: readonly PackageEntry[]) {
    const read = ts.readConfigFile(`${root}tsconfig.json`, (path) => ts.sys.readFile(path));
    const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
    const program = ts.createProgram(
      entries.map(({ source }) => `${root}${source}`),
      {
        ...options,
        noEmit: false,
        allowImportingTsExtensions: false,
        declaration: true,
        emitDeclarationOnly: true,
        // The compiler's own step of `npm run check` finds mistakes.
        noCheck: true,
        removeComments: true,
        outDir: `${root}dist`,
        rootDir: `${root}src`,
      },
    );
    program.emit(undefined, (path, text) => {
      const source = path.replace(`${root}dist`, `${root}src`).replace(/\.d\.ts$/, ".ts");
      const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      const declared = new Map<string, ts.Statement[]>();
      for (const statement of file.statements) {
        for (const name of namesDeclared(statement)) {
          declared.set(name, [...(declared.get(name) ?? []), statement]);
        }
      }
      this.#files.set(source, file);
      this.#statements.set(source, declared);
    });
  }

  /** The places of the declarations that a module exports, by name. */
  exportsOf(path: string): ReadonlyMap<string, Place> {
    const found = new Map<string, Place>();
    for (const statement of this.#fileOf(path).statements) {
      if (ts.isExportDeclaration(statement)) {
        const from = statement.moduleSpecifier;
        const target = from && ts.isStringLiteral(from) ? resolveFrom(path, from.text) : path;
        if (!statement.exportClause) {
          for (const [name, place] of this.exportsOf(target)) found.set(name, place);
        } else if (ts.isNamedExports(statement.exportClause)) {
          for (const { name, propertyName, isTypeOnly } of statement.exportClause.elements) {
            const place = this.#declared({ file: target, name: (propertyName ?? name).text });
            found.set(name.text, { ...place, isValue: !isTypeOnly && !statement.isTypeOnly });
          }
        }
      } else if (isExported(statement)) {
        for (const name of namesDeclared(statement)) found.set(name, { file: path, name });
      }
    }
    return found;
  }

  /** The declarations of a name: all of its overloads, and the type of the same name. */
  textOf(place: Place): string {
    return this.#statementsOf(place)
      .map((statement) => {
        const hidden = hiddenIn(statement, place).map((member) => member.getFullText());
        return hidden
          .reduce((text, member) => text.replace(member, ""), statement.getText())
          .replace(/^(?:export |declare )+/, "")
          .replaceAll(/import\("[^"]+"\)\./g, "");
      })
      .join("\n");
  }

  /**
   * The names in a declaration that these sources declare; names of generated types are left out.
   */
  namedBy(place: Place): Place[] {
    const found: (Place | undefined)[] = [];
    for (const statement of this.#statementsOf(place)) {
      const hidden: readonly ts.Node[] = hiddenIn(statement, place);
      const visit = (node: ts.Node): void => {
        if (hidden.includes(node)) return;
        if (ts.isImportTypeNode(node)) found.push(this.#imported(place.file, node));
        if (ts.isIdentifier(node) && isReference(node)) {
          found.push(this.#find(place.file, node.text));
        }
        ts.forEachChild(node, visit);
      };
      visit(statement);
    }
    return found.filter((other) => other !== undefined).filter(({ file }) => !GENERATED.test(file));
  }

  /** Resolves `import("./marker.ts").Marker`, as the compiler writes inferred types. */
  #imported(path: string, { argument, qualifier }: ts.ImportTypeNode): Place | undefined {
    if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return undefined;
    const from = argument.literal.text;
    if (!from.startsWith(".") || !qualifier) return undefined;
    return this.#declared({ file: resolveFrom(path, from), name: qualifier.getText() });
  }

  #fileOf(path: string): ts.SourceFile {
    const file = this.#files.get(path);
    if (!file) throw new Error(`${path} is not among the sources of the package`);
    return file;
  }

  #statementsOf({ file, name }: Place): readonly ts.Statement[] {
    return this.#statements.get(file)?.get(name) ?? [];
  }

  /** Follows a name through modules that only re-export it. */
  #declared(place: Place): Place {
    if (this.#statementsOf(place).length > 0) return place;
    return (
      this.#find(place.file, place.name) ?? this.exportsOf(place.file).get(place.name) ?? place
    );
  }

  /** The declaration of a name in a file; `undefined` for a name from outside of the package. */
  #find(path: string, name: string): Place | undefined {
    if (this.#statementsOf({ file: path, name }).length > 0) return { file: path, name };
    for (const statement of this.#fileOf(path).statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
        continue;
      const from = statement.moduleSpecifier.text;
      const bindings = statement.importClause?.namedBindings;
      if (!from.startsWith(".") || !bindings || !ts.isNamedImports(bindings)) continue;
      const imported = bindings.elements.find((element) => element.name.text === name);
      if (!imported) continue;
      const file = resolveFrom(path, from);
      return this.#declared({ file, name: (imported.propertyName ?? imported.name).text });
    }
    return undefined;
  }
}

function resolveFrom(path: string, specifier: string): string {
  return resolve(dirname(path), specifier).replace(/\.js$/, ".ts");
}

/** The private members of a class, which its type does not need. */
function hiddenIn(statement: ts.Statement, { isValue = false }: Place): ts.Node[] {
  if (!ts.isClassDeclaration(statement)) return [];
  return statement.members.filter((member) => {
    if (ts.isConstructorDeclaration(member)) return !isValue;
    const isPrivate = ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private;
    return isPrivate !== 0 || (member.name !== undefined && ts.isPrivateIdentifier(member.name));
  });
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesDeclared(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name ? [statement.name.text] : [];
}

/** Whether an identifier refers to a type or value that is declared elsewhere. */
function isReference({ parent }: ts.Identifier): boolean {
  return (
    ts.isTypeReferenceNode(parent) ||
    ts.isExpressionWithTypeArguments(parent) ||
    ts.isTypeQueryNode(parent) ||
    ts.isComputedPropertyName(parent)
  );
}
