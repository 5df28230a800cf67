/** Fields, with markers, defaults and texts. */
import { list, tree, type, type Tree } from "../tree.ts";
import type { Field, Kind, Made, Maker } from "./maker.ts";
import { anyType } from "./types.ts";

const NAMES = ["name", "size", "mode", "items", "a", "b", "key", "limits", "label", "x-y"] as const;

const printed = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));

/** An object type that is written out. */
export function objectLiteral(
  maker: Maker,
  depth: number,
  { besides = [], single }: { besides?: readonly string[]; single?: string } = {},
): Made {
  const { fields, members } = membersOf(maker, depth, "type", besides);
  const own = single === undefined ? [] : [tree("member", `${single}Own?: string`)];
  return {
    kind: "object",
    fields,
    tree: type("{ $0 }", list("member", "; ", [...own, ...members], 0)),
  };
}

/** The members of an object type, an interface or a class. */
export function membersOf(
  maker: Maker,
  depth: number,
  of: "type" | "interface" | "class",
  besides: readonly string[] = [],
): { readonly fields: Field[]; readonly members: Tree[] } {
  const { random } = maker;
  const names = random
    .shuffled(NAMES)
    .filter((name) => !besides.includes(name))
    .slice(0, 1 + random.below(4));
  const fields: Field[] = [];
  const members = names.map((name) => {
    const value = anyType(maker, depth - 1);
    fields.push({ name, kind: value.kind });
    if (of === "type") {
      const readonly = random.chance(0.1) ? "readonly " : "";
      if (random.chance(0.1)) return interfaceField(maker, name, value);
      return tree(
        "member",
        `${readonly}${printed(name)}${random.chance(0.4) ? "?" : ""}: $0`,
        value.tree,
      );
    }
    return of === "class" ? classField(maker, name, value) : interfaceField(maker, name, value);
  });
  return { fields, members };
}

/** The markers that a field of a kind can have, and the same as tags in JSDoc. */
const MARKERS: Partial<Record<Kind, readonly (readonly [decorator: string, tag: string])[]>> = {
  text: [
    ["@MinLength(1)", "@minLength 1"],
    ["@MaxLength(5)", "@maxLength 5"],
    ['@Title("A text")', "@title A text"],
    ["@Pattern(/^[a-z]*$/)", "@pattern ^[a-z]*$"],
  ],
  number: [
    ["@Minimum(1)", "@minimum 1"],
    ["@Maximum(100)", "@maximum 100"],
    ["@Default(7)", "@default 7"],
    ["@MultipleOf(2)", "@multipleOf 2"],
    ["@ExclusiveMinimum(0)", "@exclusiveMinimum 0"],
  ],
  list: [
    ["@MinItems(1)", "@minItems 1"],
    ["@MaxItems(3)", "@maxItems 3"],
    ["@Immutable()", "@immutable"],
  ],
  record: [
    ["@MinProperties(1)", "@minProperties 1"],
    ["@MaxProperties(2)", "@maxProperties 2"],
  ],
};

/** Markers as decorators. */
export function decorators(maker: Maker, kind: Kind): Tree {
  const { random } = maker;
  const fitting = MARKERS[kind] ?? [];
  const chosen = random.chance(0.3) ? random.some(fitting, 0.4) : [];
  return list(
    "mark",
    " ",
    chosen.map(([decorator]) => tree("mark", decorator)),
  );
}

const DEFAULTS = new Map([
  ["string", `"dd"`],
  ["boolean", "true"],
  ["Int32", "4"],
  ["Int64", "6"],
  ["Double", "0.5"],
  ["Duration", `"1m"`],
]);

/** Fields that say their type by their value, or a value by a marker. */
const BARE = [
  "?: unknown",
  ` = "fast"`,
  " = true",
  " = 3 as Int32",
  " = null as string | null",
  `: string[] = ["x"]`,
  `: "a" | "b" = "b"`,
  `: Record<string, string> = {}`,
  `: { name: string; size?: Int32 } = { name: "x" }`,
  ": Int32 | null = null",
];

function classField(maker: Maker, name: string, value: Made): Tree {
  const { random } = maker;
  const marks = decorators(maker, value.kind);
  const fallback = value.tree.parts.length === 0 ? DEFAULTS.get(value.tree.text) : undefined;
  if (random.chance(0.06)) {
    const bare = random.pick(BARE);
    const mark = bare.endsWith("unknown") ? "@PreserveUnknownFields() " : "";
    return tree("member", `${mark}${printed(name)}${bare}`);
  }
  if (fallback !== undefined && marks.parts.length === 0 && random.chance(0.3)) {
    return tree("member", `$0 ${printed(name)}: $1 = ${fallback}`, marks, value.tree);
  }
  const text = random.chance(0.1) ? `/** The ${name}. */ ` : "";
  return tree(
    "member",
    `${text}$0 ${printed(name)}${random.chance(0.4) ? "?" : "!"}: $1`,
    marks,
    value.tree,
  );
}

function interfaceField(maker: Maker, name: string, value: Made): Tree {
  const { random } = maker;
  const fitting = MARKERS[value.kind] ?? [];
  const chosen = random.chance(0.2) ? random.some(fitting, 0.4) : [];
  const lines = [...(random.chance(0.1) ? [`The ${name}.`] : []), ...chosen.map(([, tag]) => tag)];
  const comment = lines.length === 0 ? "" : `/**\n * ${lines.join("\n * ")}\n */\n  `;
  return tree(
    "member",
    `$1${printed(name)}${random.chance(0.4) ? "?" : ""}: $0`,
    value.tree,
    tree("mark", comment),
  );
}
