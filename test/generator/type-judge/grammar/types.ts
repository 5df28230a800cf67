/** Random types. */
import { list, tree, type, type Tree } from "../tree.ts";
import { HELPERS, use } from "./helpers.ts";
import type { Field, Kind, Made, Maker } from "./maker.ts";
import { objectLiteral } from "./members.ts";

const TEXTS = ["a", "b", "c", "on", "off"] as const;

const made = (kind: Kind, tree: Tree, fields?: readonly Field[]): Made =>
  fields ? { kind, tree, fields } : { kind, tree };

/** Any type. */
export function anyType(maker: Maker, depth: number): Made {
  const { random } = maker;
  if (maker.parameter !== undefined && random.chance(0.3)) {
    return made("other", type(maker.parameter));
  }
  if (depth <= 0) return leaf(maker);
  return maker.weighted<Made>([
    [30, () => leaf(maker)],
    [8, () => textType(maker, depth)],
    [30, () => objectType(maker, depth)],
    [10, () => listType(maker, depth)],
    [6, () => recordType(maker, depth)],
    [5, () => nullable(maker, depth)],
    [6, () => computed(maker, depth)],
    [5, () => unionOfObjects(maker, depth)],
  ]);
}

/** A type without others in it. */
function leaf(maker: Maker): Made {
  const { random } = maker;
  return maker.weighted<Made>([
    [8, () => made("text", type("string"))],
    [3, () => made("boolean", type("boolean"))],
    [5, () => made("number", type("Int32"))],
    [2, () => made("number", type(random.pick(["Int64", "Double", "Float", "Int", "Num"])))],
    [1, () => made("other", type(random.pick(["IntOrString", "Quantity"])))],
    [1, () => made("text", type(random.pick(["Time", "Duration", "Base64", "MicroTime"])))],
    [4, () => literals(maker)],
    [3, () => named(maker, ["text", "number", "boolean", "list"]) ?? made("text", type("string"))],
  ]);
}

/** A union of literals. */
function literals(maker: Maker): Made {
  const { random } = maker;
  const some = <T>(values: readonly T[]): T[] =>
    random.shuffled(values).slice(0, 1 + random.below(values.length));
  if (random.chance(0.2)) {
    const values = some([0, 1, 2, 5]).map((value) => type(String(value)));
    return made("other", list("type", " | ", values, 1));
  }
  if (random.chance(0.1)) return made("other", type(random.pick(["true", "false"])));
  const values = some(TEXTS).map((value) => type(JSON.stringify(value)));
  return made("text", list("type", " | ", values, 1));
}

/** A declared name of one of some kinds. */
function named(maker: Maker, kinds: readonly Kind[]): Made | undefined {
  const { random } = maker;
  const fitting = maker.known.filter(
    ({ kind, is, generic }) =>
      kinds.includes(kind) && is !== "constant" && generic !== true && kind !== "other",
  );
  if (fitting.length === 0) return undefined;
  const { name, kind, fields, members } = random.pick(fitting);
  if (members && random.chance(0.2)) return made("other", type(`${name}.${random.pick(members)}`));
  return made(kind, type(name), fields);
}

/** A text. */
export function textType(maker: Maker, depth: number): Made {
  const { random } = maker;
  const text = (tree: Tree): Made => made("text", tree);
  const part = (): Tree =>
    random.chance(0.5) ? literals(maker).tree : type(random.pick(["string", "Int32", "boolean"]));
  return maker.weighted<Made>([
    [3, () => literals(maker)],
    [3, () => named(maker, ["text"]) ?? literals(maker)],
    [2, () => text(type("`${$0}-${$1}`", part(), part()))],
    [1, () => text(type("`x-${$0}`", part()))],
    [1, () => text(type(`${random.pick(["Uppercase", "Capitalize"])}<$0>`, literals(maker).tree))],
    [2, () => text(type("Extract<$0, $1>", literals(maker).tree, literals(maker).tree))],
    [2, () => text(type("Exclude<$0, $1>", literals(maker).tree, literals(maker).tree))],
    [1, () => text(type("`${$0}.${$1}`", textType(maker, 0).tree, textType(maker, 0).tree))],
    [1, () => text(type("$0 | $1", literals(maker).tree, type("`x-${string}`")))],
    [1, () => text(type("$0 | (string & {})", literals(maker).tree))],
    [2, () => text(type("keyof ($0)", objectType(maker, depth - 1).tree))],
    [
      2,
      () => {
        const constants = maker.known.filter(({ is }) => is === "constant");
        if (constants.length === 0) return literals(maker);
        const { name, fields } = random.pick(constants);
        if (!fields) return text(type(`(typeof ${name})[number]`));
        return text(
          type(
            random.chance(0.5) ? `keyof typeof ${name}` : `(typeof ${name})[keyof typeof ${name}]`,
          ),
        );
      },
    ],
  ]);
}

function listType(maker: Maker, depth: number): Made {
  const { random } = maker;
  const item = anyType(maker, depth - 1).tree;
  const forms = [
    "($0)[]",
    "($0)[]",
    "Array<$0>",
    "readonly ($0)[]",
    "ReadonlyArray<$0>",
    "[$0, $0]",
    "[$0, ...($0)[]]",
    "[$0, ($0)?]",
    "[first: $0, second: $0]",
    "[...($0)[], $0]",
    "[$0, ...[$0, $0]]",
    "readonly [$0, ...($0)[]]",
  ];
  return made("list", type(random.pick(forms), item));
}

function recordType(maker: Maker, depth: number): Made {
  const { random } = maker;
  const value = anyType(maker, depth - 1).tree;
  if (random.chance(0.3)) {
    return made(
      "object",
      type(
        random.pick(["Record<$0, $1>", "{ [K in $0]: $1 }", "{ [K in $0]?: $1 }"]),
        textType(maker, 0).tree,
        value,
      ),
    );
  }
  const forms = [
    "Record<string, $0>",
    "Record<string, $0>",
    "{ [key: string]: $0 }",
    "{ [K in string]: $0 }",
    "Partial<Record<string, $0>>",
    "Readonly<Record<string, $0>>",
  ];
  return made("record", type(random.pick(forms), value));
}

function nullable(maker: Maker, depth: number): Made {
  const inner = anyType(maker, depth - 1).tree;
  const form = maker.random.pick(["($0) | null", "($0) | undefined", "NonNullable<($0) | null>"]);
  return made("other", type(form, inner));
}

/** A key that an object has, or may have. */
function keys(maker: Maker, { tree: object, fields = [] }: Made): Tree {
  const { random } = maker;
  const names = random.some(fields).map(({ name }) => type(JSON.stringify(name)));
  const chosen = list("type", " | ", names.length > 0 ? names : [type(`"name"`)], 1);
  return fields.length > 0 && names.length > 0 && random.chance(0.8)
    ? chosen
    : type("Extract<keyof $0, $1>", object, chosen);
}

/** An object. */
export function objectType(maker: Maker, depth: number): Made {
  const { random } = maker;
  const declared = (): Made => named(maker, ["object"]) ?? objectLiteral(maker, depth);
  const inner = (): Made => (depth > 0 ? objectType(maker, depth - 1) : declared());
  if (depth <= 0) return declared();
  const same = (text: string): Made => {
    const { tree: object, fields } = inner();
    return made("object", type(text, object), fields);
  };
  return maker.weighted<Made>([
    [10, () => objectLiteral(maker, depth)],
    [20, declared],
    [5, () => same("Partial<$0>")],
    [5, () => same("Required<$0>")],
    [2, () => same("Readonly<$0>")],
    [2, () => same("{ [K in keyof $0]: $0[K] }")],
    [2, () => same("{ [K in keyof $0]?: $0[K] }")],
    [2, () => same("{ [K in keyof $0]-?: $0[K] }")],
    [1, () => same("Awaited<Promise<$0>>")],
    [1, () => same("NonNullable<$0 | null>")],
    [1, () => same("Extract<$0, object>")],
    [
      6,
      () => {
        const object = inner();
        const key = keys(maker, object);
        return made("object", type("Pick<$0, $1>", object.tree, key));
      },
    ],
    [
      6,
      () => {
        const object = inner();
        return made("object", type("Omit<$0, $1>", object.tree, keys(maker, object)));
      },
    ],
    [
      4,
      () => {
        const one = inner();
        const other = inner();
        const fields = [...(one.fields ?? []), ...(other.fields ?? [])];
        return made("object", type("($0) & ($1)", one.tree, other.tree), fields);
      },
    ],
    [
      2,
      () => {
        const [one, other] = [inner(), inner()];
        return made("object", type("Omit<$0, keyof ($1)> & ($1)", one.tree, other.tree));
      },
    ],
    [
      2,
      () => {
        const object = inner();
        const key = keys(maker, object);
        return made(
          "object",
          type("{ [K in keyof $0 as Exclude<K, $1>]: $0[K] }", object.tree, key),
        );
      },
    ],
    [10, () => helped(maker, "object", depth)],
    [1, () => same("Partial<Pick<$0, keyof $0>> & $0")],
    [1, () => same("{ readonly [K in keyof $0]?: $0[K] | null }")],
    [1, () => same("{ [K in keyof $0]: { value: $0[K] } }")],
    [1, () => same("{ [K in keyof $0]: ($0[K])[] }")],
    [1, () => same('{ it: $0 }["it"]')],
    [1, () => same("($0)[][number]")],
    [1, () => same("Extract<$0 | string, object>")],
    [1, () => same("Exclude<$0 | null, null>")],
    [1, () => same('Omit<Required<$0>, "a"> & { a?: string }')],
    [1, () => same("[$0] extends [infer U] ? U : never")],
    [1, () => same("Parameters<(it: $0) => void>[0]")],
    [1, () => same("ReturnType<() => $0>")],
    [
      2,
      () => {
        const [one, other, third] = [inner(), inner(), inner()];
        return made(
          "object",
          type(
            "$0 extends $1 ? $2 : $0",
            one.tree,
            random.chance(0.5) ? type("{ name: string }") : other.tree,
            third.tree,
          ),
        );
      },
    ],
  ]);
}

/** A generic type, of those that people write and of those of this case. */
function helped(maker: Maker, makes: Kind | undefined, depth: number): Made {
  const { random } = maker;
  const own = maker.known.filter(
    ({ generic, kind, name }) =>
      generic === true &&
      (makes === undefined || kind === makes) &&
      !HELPERS.some((helper) => helper.name === name),
  );
  if (own.length > 0 && random.chance(0.4)) {
    const { name, kind } = random.pick(own);
    return made(kind, type(`${name}<$0>`, anyType(maker, depth - 1).tree));
  }
  const helper = random.pick(HELPERS.filter((one) => makes === undefined || one.makes === makes));
  const argument =
    helper.of === "object"
      ? objectType(maker, depth - 1)
      : helper.of === "text"
        ? textType(maker, depth - 1)
        : anyType(maker, depth - 1);
  const name = use(maker, helper);
  return made(
    helper.makes,
    type(`${name}<$0>`, argument.tree),
    helper.keeps === true ? argument.fields : undefined,
  );
}

/** A type that has to be computed. */
function computed(maker: Maker, depth: number): Made {
  const { random } = maker;
  return maker.weighted<Made>([
    [
      3,
      () => {
        const { tree: object, fields = [] } = objectType(maker, depth - 1);
        if (fields.length === 0) return made("other", type("($0)[keyof ($0)]", object));
        const { name, kind } = random.pick(fields);
        return made(kind, type(`($0)["${name}"]`, object));
      },
    ],
    [4, () => helped(maker, undefined, depth)],
    [
      2,
      () =>
        made(
          "other",
          type(
            "$0 extends $1 ? $2 : $3",
            anyType(maker, depth - 1).tree,
            random.chance(0.6)
              ? type(random.pick(["string", "number", "object", "readonly unknown[]", "boolean"]))
              : anyType(maker, depth - 1).tree,
            anyType(maker, depth - 1).tree,
            anyType(maker, depth - 1).tree,
          ),
        ),
    ],
  ]);
}

/** Objects of which each has its own tag, or which are told apart by their fields. */
function unionOfObjects(maker: Maker, depth: number): Made {
  const { random } = maker;
  const tag = random.pick(["kind", "type", "mode"]);
  const form = random.below(10);
  const tags: readonly string[] =
    form < 6
      ? random.shuffled(TEXTS).map((text) => JSON.stringify(text))
      : form < 7
        ? ["true", "false"]
        : ["1", "2", "3"];
  const names = random.shuffled(TEXTS);
  const variants = tags.slice(0, 2 + random.below(2)).map((value, index) => {
    const single = names[index] ?? "a";
    const own = objectLiteral(maker, depth - 1, { besides: [tag], single }).tree;
    if (form === 9) return own;
    const isShared = random.chance(0.3);
    return isShared
      ? type(
          `{ ${tag}: ${value}; $0: $1 }`,
          tree("text", random.pick(["size", "name"])),
          anyType(maker, 0).tree,
        )
      : type(`({ ${tag}: ${value} } & $0)`, own);
  });
  const union = type("($0)", list("type", " | ", variants, 2));
  if (random.chance(0.15)) return made("union", type("$0 & $1", union, objectType(maker, 1).tree));
  if (random.chance(0.1))
    return made("union", type(`Extract<$0, { ${tag}: ${tags[0] ?? ""} }>`, union));
  return made("union", union);
}
