/** Random declarations, and whole cases. */
import { Random } from "../../../support/random.ts";
import type { Case } from "../case.ts";
import { list, tree, type Tree } from "../tree.ts";
import { Maker } from "./maker.ts";
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
  };
}

function declare(maker: Maker): void {
  maker.weighted<void>([
    [5, () => declareClass(maker)],
    [5, () => declareInterface(maker)],
    [5, () => declareAlias(maker)],
    [2, () => declareEnum(maker)],
    [2, () => declareConstant(maker)],
  ]);
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

function declareClass(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("C");
  const bases = maker.known.filter(({ is, generic }) => is === "class" && generic !== true);
  const base = bases.length > 0 && random.chance(0.4) ? random.pick(bases) : undefined;
  const { made, parameters } = perhapsGeneric(maker, () =>
    membersOf(maker, 2, "class", base?.fields?.map((field) => field.name) ?? []),
  );
  const above = base ? ` extends ${base.name}` : "";
  maker.declare(
    {
      name,
      is: "class",
      kind: "object",
      generic: parameters !== "",
      fields: [...(base?.fields ?? []), ...made.fields],
    },
    tree("declaration", `class ${name}${parameters}${above} {\n  $0;\n}`, block(made.members)),
  );
}

function declareInterface(maker: Maker): void {
  const { random } = maker;
  const name = maker.name("I");
  const bases = maker.known.filter(
    ({ is, generic }) => (is === "class" || is === "interface") && generic !== true,
  );
  const base = bases.length > 0 && random.chance(0.4) ? random.pick(bases) : undefined;
  const { made, parameters } = perhapsGeneric(maker, () =>
    membersOf(maker, 2, "interface", base?.fields?.map((field) => field.name) ?? []),
  );
  const above = base ? ` extends ${base.name}` : "";
  maker.declare(
    {
      name,
      is: "interface",
      kind: "object",
      generic: parameters !== "",
      fields: [...(base?.fields ?? []), ...made.fields],
    },
    tree("declaration", `interface ${name}${parameters}${above} {\n  $0;\n}`, block(made.members)),
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
    tree("declaration", `type ${name}${parameters} = $0;`, made.tree),
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
    ["Read = 1 << 0, Write = 1 << 1, Both = Read | Write", ["Read", "Write", "Both"], "number"],
  ];
  const [text, members, kind] = random.pick(forms);
  maker.declare(
    { name, is: "enum", kind: kind === "text" ? "text" : "other", members },
    tree("declaration", `${isConst}enum ${name} { ${text} }`),
  );
}

function declareConstant(maker: Maker): void {
  const { random } = maker;
  if (random.chance(0.5)) {
    const name = maker.name("LIST");
    maker.declare(
      { name, is: "constant", kind: "other" },
      tree("declaration", `const ${name} = ["a", "b", "c"] as const;`),
    );
    return;
  }
  const name = maker.name("Phase");
  const idiom = random.chance(0.5);
  const text = `const ${name} = { Running: "Running", Done: "done" } as const;`;
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
