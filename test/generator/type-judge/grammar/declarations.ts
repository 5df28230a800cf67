/** Random declarations, and whole cases. */
import { Random } from "../../../support/random.ts";
import type { Case } from "../case.ts";
import { list, tree, type, type Tree } from "../tree.ts";
import { type Field, type Kind, Maker } from "./maker.ts";
import { decorators, membersOf } from "./members.ts";
import { anyType, objectType, textType } from "./types.ts";

/** The case of a seed. */
export function randomCase(seed: number): Case {
  const random = new Random(seed);
  const maker = new Maker(random);
  for (let count = random.below(5); count > 0; count--) declare(maker);
  const { tree: root, kind } = anyType(maker, 1 + random.below(3));
  return {
    declarations: maker.declarations,
    root,
    marks: decorators(maker, kind),
    optional: random.chance(0.3),
    imports: random.chance(0.7)
      ? "names"
      : random.pick(["types", "namespace", "barrel", "renamed"]),
  };
}

function declare(maker: Maker): void {
  const form = maker.weighted([
    [5, () => declareClass],
    [5, () => declareInterface],
    [5, () => declareAlias],
    [2, () => declareEnum],
    [2, () => declareConstant],
    [1, () => declareValue],
    [1, () => declareRecursive],
  ]);
  form(maker);
}

/** Runs with a type parameter in sight, sometimes. */
function perhapsGeneric<T>(maker: Maker, make: () => T): { made: T; parameters: string } {
  const isGeneric = maker.random.chance(0.2);
  maker.parameter = isGeneric ? "T" : undefined;
  const made = make();
  maker.parameter = undefined;
  return { made, parameters: isGeneric ? "<T>" : "" };
}

const block = (members: readonly Tree[]): Tree => list("member", ";\n  ", members);

const CLASS_MARKS = [
  "@MinProperties(1)",
  "@MaxProperties(2)",
  '@AtLeastOneOf("name", "a")',
  '@ExactlyOneOf("name", "size")',
  "@Atomic()",
  '@Title("The title")',
];

/** Members of a class that are code, and no fields. */
const CODE = [
  'get short(): string { return "short"; }',
  'toText(): string { return "text"; }',
  "static readonly count = 1",
  "private secret = 1",
  "protected hidden?: string",
  "#own = 1",
];

/** A field that a class declares anew. */
function redeclared(maker: Maker, { name, kind }: Field): Tree[] {
  const { random } = maker;
  const types: Partial<Record<Kind, readonly string[]>> = {
    number: ["Int32", "Int64", "Double", "1 | 2"],
    text: ["string", `"a" | "b"`, `"a"`, "Duration"],
    boolean: ["boolean", "true"],
  };
  const fitting = types[kind];
  if (!fitting || !/^\w+$/.test(name)) return [];
  const marks = decorators(maker, kind);
  const mark = random.pick(["!", "?"]);
  return [tree("member", `$0 override ${name}${mark}: $1`, marks, type(random.pick(fitting)))];
}

function declareClass(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("C");
  const bases = maker.known.filter(({ is, generic }) => is === "class" && generic !== true);
  const base = bases.length > 0 && random.chance(0.4) ? random.pick(bases) : undefined;
  const inherited = base?.fields ?? [];
  const { made, parameters } = perhapsGeneric(maker, () =>
    membersOf(
      maker,
      2,
      "class",
      inherited.map((field) => field.name),
    ),
  );
  const again = random.some(inherited, 0.3).flatMap((field) => redeclared(maker, field));
  const code = random.chance(0.15) ? [tree("member", random.pick(CODE))] : [];
  const marks = random.chance(0.12) ? `${random.pick(CLASS_MARKS)}\n` : "";
  const text = random.chance(0.1) ? `/** The class ${name}. */\n` : "";
  const above = base ? ` extends ${base.name}` : "";
  const isAbstract = random.chance(0.05) ? "abstract " : "";
  maker.declare(
    {
      name,
      is: "class",
      kind: "object",
      generic: parameters !== "",
      fields: [...inherited, ...made.fields],
    },
    tree(
      "declaration",
      `${text}$1export ${isAbstract}class ${name}${parameters}${above} {\n  $0;\n}`,
      block([...made.members, ...again, ...code]),
      tree("mark", marks),
    ),
  );
}

function declareInterface(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("I");
  const bases = maker.known.filter(
    ({ is, generic }) => (is === "class" || is === "interface") && generic !== true,
  );
  const base = bases.length > 0 && random.chance(0.4) ? random.pick(bases) : undefined;
  const inherited = base?.fields ?? [];
  const { made, parameters } = perhapsGeneric(maker, () =>
    membersOf(
      maker,
      2,
      "interface",
      inherited.map((field) => field.name),
    ),
  );
  const without = inherited.find(({ name: field }) => /^\w+$/.test(field));
  const isChanged = base && without && random.chance(0.2);
  const above = isChanged
    ? ` extends Omit<${base.name}, "${without.name}">`
    : base
      ? ` extends ${base.name}`
      : "";
  const changed = isChanged ? [tree("member", `${without.name}?: boolean`)] : [];
  const isMerged = parameters === "" && random.chance(0.1);
  maker.declare(
    {
      name,
      is: "interface",
      kind: "object",
      generic: parameters !== "",
      fields: [...inherited, ...made.fields],
    },
    tree(
      "declaration",
      `export interface ${name}${parameters}${above} {\n  $0;\n}${isMerged ? `\nexport interface ${name} { merged?: $1 }` : ""}`,
      block([...made.members, ...changed]),
      isMerged ? anyType(maker, 1).tree : type("string"),
    ),
  );
}

function declareAlias(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("A");
  const { made, parameters } = perhapsGeneric(maker, () =>
    random.chance(0.5)
      ? objectType(maker, 2)
      : random.chance(0.3)
        ? textType(maker, 1)
        : anyType(maker, 2),
  );
  maker.declare(
    {
      name,
      is: "alias",
      kind: made.kind,
      generic: parameters !== "",
      ...(made.fields ? { fields: made.fields } : {}),
    },
    tree("declaration", `export type ${name}${parameters} = $0;`, made.tree),
  );
}

function declareEnum(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("E");
  const isConst = random.chance(0.3) ? "const " : "";
  const forms: readonly (readonly [string, readonly string[], "text" | "number"])[] = [
    [`Low = "low", High = "high"`, ["Low", "High"], "text"],
    [`A = "a", B = "b", C = "c"`, ["A", "B", "C"], "text"],
    ["Zero, One, Two", ["Zero", "One", "Two"], "number"],
    ["One = 1, Two = 2", ["One", "Two"], "number"],
    [`Low = "low", High = \`\${"hi"}gh\``, ["Low", "High"], "text"],
    ["None, Some = 5, More", ["None", "Some", "More"], "number"],
    ["Read = 1 << 0, Write = 1 << 1, Both = Read | Write", ["Read", "Write", "Both"], "number"],
  ];
  const [text, members, kind] = random.pick(forms);
  maker.declare(
    { name, is: "enum", kind: kind === "text" ? "text" : "other", members },
    tree("declaration", `export ${isConst}enum ${name} { ${text} }`),
  );
}

function declareConstant(maker: Maker): void {
  const { random } = maker;
  if (random.chance(0.5)) {
    const name = maker.name("LIST");
    maker.declare(
      { name, is: "constant", kind: "other" },
      tree("declaration", `export const ${name} = ["a", "b", "c"] as const;`),
    );
    return;
  }
  const name = maker.name("Phase");
  const idiom = random.chance(0.5);
  const text = `export const ${name} = { Running: "Running", Done: "done" } as const;`;
  const fields = [
    { name: "Running", kind: "text" as const },
    { name: "Done", kind: "text" as const },
  ];
  maker.declare(
    {
      name,
      is: idiom ? "alias" : "constant",
      kind: idiom ? "text" : "other",
      ...(idiom ? {} : { fields }),
    },
    tree(
      "declaration",
      idiom ? `${text}\nexport type ${name} = (typeof ${name})[keyof typeof ${name}];` : text,
    ),
  );
}

/** A value whose type is used: an object, or a function. */
function declareValue(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("VALUE");
  const [text, used] = random.pick([
    [`const ${name} = { mode: "fast", on: true, tags: ["a", "b"] };`, `typeof ${name}`],
    [`const ${name} = { mode: "fast", on: true } as const;`, `typeof ${name}`],
    [
      `const ${name} = { a: { name: "x" }, b: { name: "y" } } satisfies Record<string, { name: string }>;`,
      `typeof ${name}`,
    ],
    [
      `const ${name} = (): { name: string; size?: Int32 } => ({ name: "x" });`,
      `ReturnType<typeof ${name}>`,
    ],
    [
      `function ${name}(it: { a: string; b?: boolean }): void { void it; }`,
      `Parameters<typeof ${name}>[0]`,
    ],
  ] as const);
  const alias = maker.name("A");
  maker.declare(
    { name, is: "constant", kind: "other", fields: [] },
    tree("declaration", `export ${text}`),
  );
  maker.known.pop();
  maker.declare(
    { name: alias, is: "alias", kind: "object" },
    tree("declaration", `export type ${alias} = ${used};`),
  );
}

/** A type that has itself in it. */
function declareRecursive(maker: Maker): void {
  const { random } = maker;
  if (random.chance(0.7)) return;
  const name = maker.name("R");
  const text = random.pick([
    `interface ${name} { name: string; children?: ${name}[] }`,
    `class ${name} { name!: string; next?: ${name} }`,
    `type ${name} = { a?: ${name} | null; b: string };`,
  ]);
  const fields = [{ name: "name", kind: "text" as const }];
  maker.declare(
    { name, is: "interface", kind: "object", fields },
    tree("declaration", `export ${text}`),
  );
}
