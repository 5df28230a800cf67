import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/errors.ts";
import { schemaOf } from "../../../src/generator/emit/schema.ts";
import { Findings } from "../../../src/generator/findings.ts";
import { openModules, readProject } from "../../../src/generator/read-project.ts";
import { BARREL, fileOf, FORMS, LIB, type Form } from "./type-forms.ts";
import { normal, type Shape, shapeOfSchema, TypeOracle } from "./type-oracle.ts";

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  experimentalDecorators: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
};

const root = mkdtempSync(join(tmpdir(), "tsop-types-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, "src"));
mkdirSync(join(root, "node_modules"));
symlinkSync(resolve("."), join(root, "node_modules/tsop"));
symlinkSync(resolve("node_modules/typescript"), join(root, "node_modules/typescript"));
writeFileSync(join(root, "package.json"), `{ "type": "module" }`);
writeFileSync(
  join(root, "tsconfig.json"),
  `{ "compilerOptions": { "strict": true, "target": "es2022", "module": "nodenext", "experimentalDecorators": true, "allowImportingTsExtensions": true, "noEmit": true, "types": [] } }`,
);

/** A form, what the checker wants of it, and what was made of it. */
interface Judged {
  readonly form: Form;
  /** What the compiler says of it: of what does not compile nothing is to be learned. */
  readonly compiles: readonly string[];
  readonly wanted: Shape;
  readonly found: readonly Diagnostic[];
  readonly made: Shape | undefined;
}

function judge(forms: readonly Form[]): Judged[] {
  const texts = new Map<string, string>();
  const add = (name: string, text: string): string => {
    const path = join(root, "src", name);
    writeFileSync(path, text);
    texts.set(path, text);
    return path;
  };
  add("lib.ts", LIB);
  add("barrel.ts", BARREL);
  const paths = forms.map((form, index) => add(`form${index}.ts`, fileOf(form, `Form${index}`)));
  const findings = new Findings();
  const { kinds } = readProject(openModules(root), texts, findings);
  const oracle = new TypeOracle(paths, OPTIONS);
  return forms.map((form, index) => {
    const path = paths[index] ?? "";
    const found = findings.sorted().filter(({ file }) => file === `src/form${index}.ts`);
    const kind = kinds.find(({ kind: name }) => name === `Form${index}`);
    const spec = kind?.type.properties?.find(({ name }) => name === "spec");
    return {
      form,
      compiles: oracle.errors(path),
      wanted: oracle.shapeOf(path, "Spec"),
      found,
      made: spec && shapeOfSchema(schemaOf(spec.type)),
    };
  });
}

const shown = (shape: Shape | undefined): string =>
  shape === undefined ? "nothing" : JSON.stringify(normal(shape));

/** A union of objects is one object with rules, which the fixtures of features look at. */
const isUnion = (shape: Shape): boolean => shown(shape).includes('"is":"union"');

function disagreements(judged: readonly Judged[]): string[] {
  return judged.flatMap(({ form, compiles, wanted, found, made }) => {
    if (compiles.length > 0 || found.length > 0 || isUnion(wanted)) return [];
    if (shown(wanted) === shown(made)) return [];
    return [`${form[0]}\n  TypeScript: ${shown(wanted)}\n  the schema: ${shown(made)}`];
  });
}

/** Types that are made of others, by every means that has a name. */
const { type: composedType } = fc.letrec<{ type: string }>((tie) => {
  const of = (wrap: (inner: string) => string): fc.Arbitrary<string> => tie("type").map(wrap);
  const names = fc.constantFrom("name", "key", "size", "optional");
  return {
    type: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("Ref", "Disk", "{ name?: string | null; size: Int32 }", "Named<boolean>"),
      of((inner) => `Partial<${inner}>`),
      of((inner) => `Required<${inner}>`),
      of((inner) => `Readonly<${inner}>`),
      of((inner) => `NonNullable<${inner} | null>`),
      of((inner) => `{ [K in keyof ${inner}]: ${inner}[K] }`),
      of((inner) => `{ [K in keyof ${inner}]?: ${inner}[K] }`),
      of((inner) => `{ [K in keyof ${inner}]-?: ${inner}[K] }`),
      of((inner) => `Box<${inner}>["value"]`),
      of((inner) => `Same<${inner}>`),
      of((inner) => `Pick<${inner}, keyof ${inner}>`),
      fc.tuple(tie("type"), names).map(([inner, name]) => `Omit<${inner}, "${name}">`),
      fc
        .tuple(tie("type"), names)
        .map(([inner, name]) => `Pick<${inner}, Extract<keyof ${inner}, "${name}">>`),
      fc.tuple(tie("type"), tie("type")).map(([one, other]) => `${one} & ${other}`),
      fc.tuple(tie("type"), tie("type")).map(([one, other]) => `(${one}) & Partial<${other}>`),
      fc
        .tuple(tie("type"), tie("type"))
        .map(([one, other]) => `Omit<${one}, keyof ${other}> & ${other}`),
    ),
  };
});

const PARTS = `interface Ref { name: string; key: "a" | "b"; optional?: boolean }
class Disk { size!: Int32; key?: "b" | "c"; inner!: { deep?: string } }
interface Named<T> { name: string; value: T[]; inner?: { deep: string; other?: T } }
interface Box<T> { value: T }
type Same<T> = { [K in keyof T]: T[K] };`;

describe("a type is what TypeScript's checker says of it, or refused at its line", () => {
  const judged = judge(FORMS);

  it("in every form that people write", () => {
    expect(disagreements(judged)).toEqual([]);
  });

  it("and what has no schema is refused", () => {
    const silent = judged.filter(
      ({ compiles, wanted, found }) =>
        compiles.length === 0 && wanted.is === "nothing" && found.length === 0,
    );
    expect(silent.map(({ form }) => form[0])).toEqual([]);
  });

  it("and what has a schema is refused in these forms alone", () => {
    const refused = judged.filter(
      ({ compiles, wanted, found }) =>
        compiles.length === 0 && !shown(wanted).includes('"nothing"') && found.length > 0,
    );
    expect(
      refused.map(({ form, found }) => `${form[0]}: ${found[0]?.code ?? ""}`),
    ).toMatchSnapshot();
  });

  it("however it is made of others", { timeout: 120_000 }, () => {
    const types = fc.sample(composedType, { numRuns: 150, seed: 20261122 });
    const made = judge(types.map((type): Form => [type, PARTS, type]));
    expect(disagreements(made)).toEqual([]);
    // Most of them are understood: what is refused proves nothing.
    const understood = made.filter(({ found }) => found.length === 0);
    expect(understood.length).toBeGreaterThan(made.length / 2);
  });
});
