/** One random case: declarations in some files, and a class with one field, whose type is judged. */
import { render, smallerTrees, type Tree } from "./tree.ts";

/** A declaration with a name, in one of the files of its case. */
export interface Declared {
  readonly name: string;
  readonly file: number;
  readonly tree: Tree;
}

/** A case. */
export interface Case {
  readonly declarations: readonly Declared[];
  /** The type of the field `v` of the spec. */
  readonly root: Tree;
  /** What stands before the field `v`. */
  readonly marks: Tree;
  /** Whether the field `v` may be left out. */
  readonly optional: boolean;
  /** How the names of other files are imported. */
  readonly imports: "names" | "types" | "namespace" | "barrel" | "renamed";
}

/** A file of a case, by its name in the folder of sources. */
export type Files = ReadonlyMap<string, string>;

const NAMES_OF_TSOP =
  /\b(CustomResource|Resource|Int|Int32|Int64|Num|Float|Double|Quantity|IntOrString|Time|MicroTime|Duration|Base64|Minimum|Maximum|ExclusiveMinimum|MultipleOf|MinLength|MaxLength|Pattern|MinItems|MaxItems|MinProperties|MaxProperties|Enum|Default|Title|PreserveUnknownFields|AtLeastOneOf|ExactlyOneOf|Atomic|ListSet|ListMap|Immutable|Cel|Description)\b/g;

/** The names of the class and of its spec. */
export const kindOf = (number: number): string => `Case${number}`;
export const specOf = (number: number): string => `Case${number}Spec`;

/** The name of a file of a case. */
const fileName = (number: number, file: number): string =>
  file === 0 ? `case${number}.ts` : `case${number}-${file}.ts`;

/** The files of a case; the first one has the class. */
export function filesOf(one: Case, number: number): Files {
  const kind = kindOf(number);
  const bodies = new Map<number, string[]>([[0, []]]);
  for (const { file, tree } of one.declarations) {
    bodies.set(file, [...(bodies.get(file) ?? []), render(tree)]);
  }
  const mark = render(one.marks);
  const field = `v${one.optional ? "?" : "!"}: ${render(one.root)};`;
  bodies
    .get(0)
    ?.push(
      `export class ${specOf(number)} {\n  ${mark === "" ? "" : `${mark}\n  `}${field}\n}`,
      `@Resource({ group: "types.example.com", version: "v1" })\nexport class ${kind} extends CustomResource<${specOf(number)}> {}`,
    );
  const files = [...bodies].map(([file, texts]): [string, string] => [
    fileName(number, file),
    withImports(one, number, file, texts.join("\n")),
  ]);
  if (one.imports === "barrel" && bodies.size > 1) {
    const others = [...bodies.keys()].filter((file) => file !== 0);
    const exports = others.map((file) => `export * from "./${fileName(number, file)}";\n`);
    files.push([fileName(number, BARREL), exports.join("")]);
  }
  return new Map(files);
}

/** The number of the file that exports what the others have. */
const BARREL = 9;

/** A file with its imports. */
function withImports(one: Case, number: number, file: number, text: string): string {
  const fromTsop = [...new Set(text.match(NAMES_OF_TSOP))].filter(
    (name) => !one.declarations.some((declared) => declared.name === name),
  );
  const lines = fromTsop.length > 0 ? [`import { ${fromTsop.join(", ")} } from "tsop";\n`] : [];
  const others = new Map<number, string[]>();
  for (const declared of one.declarations) {
    if (declared.file === file || !new RegExp(`\\b${declared.name}\\b`).test(text)) continue;
    others.set(declared.file, [...(others.get(declared.file) ?? []), declared.name]);
  }
  let body = text;
  const replace = (name: string, by: string): void => {
    body = body.replace(new RegExp(`\\b${name}\\b`, "g"), by);
  };
  for (const [other, names] of others) {
    const isBarrel = one.imports === "barrel" && file === 0;
    const from = `"./${fileName(number, isBarrel ? BARREL : other)}"`;
    if (one.imports === "namespace") {
      lines.push(`import * as other${other} from ${from};\n`);
      for (const name of names) replace(name, `other${other}.${name}`);
    } else if (one.imports === "renamed") {
      lines.push(
        `import { ${names.map((name) => `${name} as My${name}`).join(", ")} } from ${from};\n`,
      );
      for (const name of names) replace(name, `My${name}`);
    } else {
      const isType = one.imports === "types" ? "type " : "";
      lines.push(`import ${isType}{ ${names.join(", ")} } from ${from};\n`);
    }
  }
  return `${lines.join("")}${body}\n`;
}

/** The text of a case, as it is shown. */
export function show(one: Case): string {
  const files = [...filesOf(one, 0)];
  return files
    .map(([name, text]) => (files.length > 1 ? `// ${name}\n${text}` : text))
    .join("\n")
    .trim();
}

/** The length of the text of a case. */
export const sizeOf = (one: Case): number => show(one).length;

/** Cases that are smaller by one part. */
export function* smallerCases(one: Case): Generator<Case> {
  for (const index of one.declarations.keys()) {
    yield { ...one, declarations: one.declarations.toSpliced(index, 1) };
  }
  if (one.imports !== "names") yield { ...one, imports: "names" };
  if (one.declarations.some(({ file }) => file !== 0)) {
    yield { ...one, declarations: one.declarations.map((declared) => ({ ...declared, file: 0 })) };
  }
  for (const root of smallerTrees(one.root)) yield { ...one, root };
  for (const [index, declared] of one.declarations.entries()) {
    for (const tree of smallerTrees(declared.tree)) {
      yield { ...one, declarations: one.declarations.with(index, { ...declared, tree }) };
    }
  }
  for (const marks of smallerTrees(one.marks)) yield { ...one, marks };
}
