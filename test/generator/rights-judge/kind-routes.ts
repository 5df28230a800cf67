/** The ways in which code names a kind. */
import type { Parts } from "./parts.ts";
import { moduleOf, type PoolKind } from "./kinds.ts";

/** A way to name a kind. */
export interface KindRoute {
  readonly name: string;
  /** Whether either of two kinds is meant, as the object's name says. */
  readonly isTwo?: boolean;
  /** Whether the type of the kind is lost. */
  readonly isUntyped?: boolean;
  /** Whether the expression has to stand in `reconcile` of a class. */
  readonly needsClass?: boolean;
  /** Whether it reads metadata alone. */
  readonly isPartial?: boolean;
  /** Adds what the route needs; returns the expression, which stands in `reconcile`. */
  write(parts: Parts, kind: PoolKind, other: PoolKind): string;
}

const isFirst = 'key.name === "first"';
const route = (
  name: string,
  write: KindRoute["write"],
  more: Omit<KindRoute, "name" | "write"> = {},
): KindRoute => ({ name, write, ...more });

/** All ways; the first is the plainest. */
export const KIND_ROUTES: readonly KindRoute[] = [
  route("its name", (_, { name }) => name),
  route("a namespace import", (_, { name }) =>
    moduleOf(name) === "tsop/k8s" ? `k8s.${name}` : `${name.toLowerCase()}s.${name}`,
  ),
  route("a constant", (parts, { name }) => {
    parts.put("controller", `const ${parts.name("kind")} = ${name};`);
    return parts.name("kind");
  }),
  route("a constant of another file", (parts, { name }) => {
    parts.put("kinds", `export const ${parts.name("kind")} = ${name};`);
    return `kinds.${parts.name("kind")}`;
  }),
  route("a re-export", (parts, { name }) => {
    parts.put("kinds", `export { ${name} as ${parts.name("Kind")} } from "${moduleOf(name)}";`);
    return `kinds.${parts.name("Kind")}`;
  }),
  route(
    "a typed constant",
    (parts, { name }) => {
      parts.put("controller", `const ${parts.name("kind")}: Token = ${name};`);
      return parts.name("kind");
    },
    { isUntyped: true },
  ),
  route("a local constant", (parts, { name }) => {
    parts.before.push(`const ${parts.name("kind")} = ${name};`);
    return parts.name("kind");
  }),
  route("satisfies", (_, { name }) => `(${name} satisfies Token)`),
  route("an assertion", (_, { name }) => `(${name} as Token)`, { isUntyped: true }),
  route("a record", (parts, { name }) => {
    parts.put("controller", `const ${parts.name("record")} = { one: ${name} } as const;`);
    return `${parts.name("record")}.one`;
  }),
  route("a record that satisfies a type", (parts, { name }) => {
    parts.put(
      "kinds",
      `export const ${parts.name("record")} = { one: ${name} } satisfies Record<string, Token>;`,
    );
    return `kinds.${parts.name("record")}["one"]`;
  }),
  route(
    "a typed record",
    (parts, { name }) => {
      const record = parts.name("record");
      parts.put("controller", `const ${record}: Record<string, Token> = { one: ${name} };`);
      return `${record}["one"]!`;
    },
    { isUntyped: true },
  ),
  route("a spread record", (parts, { name }) => {
    const record = parts.name("record");
    parts.put("controller", `const ${record}Base = { one: ${name} };`);
    parts.put("controller", `const ${record} = { ...${record}Base };`);
    return `${record}.one`;
  }),
  route("a destructured record", (parts, { name }) => {
    parts.before.push(`const { one: ${parts.name("kind")} } = { one: ${name} };`);
    return parts.name("kind");
  }),
  route("a destructured default", (parts, { name }) => {
    parts.before.push(
      `const { one: ${parts.name("kind")} = ${name} } = {} as { one?: typeof ${name} };`,
    );
    return parts.name("kind");
  }),
  route("a list", (parts, { name }) => {
    parts.put("controller", `const ${parts.name("list")} = [${name}] as const;`);
    return `${parts.name("list")}[0]`;
  }),
  route("a destructured list", (parts, { name }) => {
    parts.before.push(`const [${parts.name("kind")}] = [${name}] as const;`);
    return parts.name("kind");
  }),
  route(
    "a map",
    (parts, { name }) => {
      const map = parts.name("map");
      parts.put("controller", `const ${map} = new Map<string, Token>([["one", ${name}]]);`);
      return `${map}.get("one")!`;
    },
    { isUntyped: true },
  ),
  route("a function", (parts, { name }) => {
    parts.put("controller", `function ${parts.name("kindOf")}() { return ${name}; }`);
    return `${parts.name("kindOf")}()`;
  }),
  route("a function of another file", (parts, { name }) => {
    parts.put("kinds", `export const ${parts.name("kindOf")} = () => ${name};`);
    return `kinds.${parts.name("kindOf")}()`;
  }),
  route("an identity", (parts, { name }) => {
    parts.put("controller", `const ${parts.name("same")} = <T>(one: T): T => one;`);
    return `${parts.name("same")}(${name})`;
  }),
  route("a function that is called at once", (_, { name }) => `(() => ${name})()`),
  route("a promise", (_, { name }) => `await Promise.resolve(${name})`),
  route("a fallback", (parts, { name }) => {
    parts.before.push(`const ${parts.name("none")} = undefined as typeof ${name} | undefined;`);
    return `(${parts.name("none")} ?? ${name})`;
  }),
  route("a static field", (parts, { name }) => {
    parts.put("controller", `class ${parts.name("Kinds")} { static readonly one = ${name}; }`);
    return `${parts.name("Kinds")}.one`;
  }),
  route("a class in a variable", (parts, { name }) => {
    parts.put("kinds", `export class ${parts.name("Kinds")} { readonly one = ${name}; }`);
    return `new kinds.${parts.name("Kinds")}().one`;
  }),
  route(
    "a field",
    (parts, { name }) => {
      parts.member(`readonly ${parts.name("kind")} = ${name};`);
      return `this.${parts.name("kind")}`;
    },
    { needsClass: true },
  ),
  route(
    "a private field",
    (parts, { name }) => {
      parts.member(`readonly #${parts.name("kind")} = ${name};`);
      return `this.#${parts.name("kind")}`;
    },
    { needsClass: true },
  ),
  route(
    "a getter",
    (parts, { name }) => {
      parts.member(`get ${parts.name("kind")}() { return ${name}; }`);
      return `this.${parts.name("kind")}`;
    },
    { needsClass: true },
  ),
  route(
    "a method",
    (parts, { name }) => {
      parts.member(`${parts.name("kind")}() { return ${name}; }`);
      return `this.${parts.name("kind")}()`;
    },
    { needsClass: true },
  ),
  route("the first of a list", (_, { name }) => `[${name}].at(0)!`),
  route("a found item", (_, { name }) => `[${name}].find((one) => one !== undefined)!`),
  route("the values of a record", (_, { name }) => `Object.values({ one: ${name} })[0]!`),
  route("a value without a type", (_, { name }) => `(${name} as any)`, { isUntyped: true }),
  route(
    "a facts object",
    (_, { apiVersion, name, plural, namespaced: isNamespaced }) => {
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      return `({ group: "${group}", version: "${version}", kind: "${name}", plural: "${plural}", namespaced: ${isNamespaced} } as Token)`;
    },
    { isUntyped: true },
  ),
  route("a holder", (parts, { name }) => {
    const type = parts.name("KindHolder");
    parts.put("kinds", `export class ${type}<K> {\nconstructor(readonly held: K) {}\n}`);
    return `new kinds.${type}(${name}).held`;
  }),
  route("an enum's key", (parts, { name }) => {
    const type = parts.name("Choice");
    parts.put("controller", `enum ${type} { One = "one" }`);
    parts.put("controller", `const ${type}s = { [${type}.One]: ${name} };`);
    return `${type}s[${type}.One]`;
  }),
  route(
    "a name in a constant at run time",
    (parts, { name, apiVersion }) => {
      parts.before.push(`const ${parts.name("called")} = "${name}";`);
      return `await client.dynamic("${apiVersion}", ${parts.name("called")})`;
    },
    { isUntyped: true },
  ),
  route(
    "its name at run time",
    (_, { name, apiVersion }) => `await client.dynamic("${apiVersion}", "${name}")`,
    { isUntyped: true },
  ),
  route(
    "a condition",
    (_, { name }, other) => `((${isFirst} ? ${name} : ${other.name}) as Token)`,
    {
      isUntyped: true,
      isTwo: true,
    },
  ),
  route(
    "an assignment",
    (parts, { name }, other) => {
      const kind = parts.name("kind");
      parts.before.push(`let ${kind}: Token = ${name};`);
      parts.before.push(`if (${isFirst}) ${kind} = ${other.name};`);
      return kind;
    },
    { isUntyped: true, isTwo: true },
  ),
  route(
    "a key of a record",
    (parts, { name }, other) => {
      const record = parts.name("record");
      parts.put("controller", `const ${record} = { first: ${name}, second: ${other.name} };`);
      return `(${record}[key.name as keyof typeof ${record}] as Token)`;
    },
    { isUntyped: true, isTwo: true },
  ),
  route(
    "a switch",
    (parts, { name }, other) => {
      const chosen = parts.name("chosen");
      parts.put(
        "controller",
        `function ${chosen}(name: string): Token {\n  switch (name) {\n    case "first":\n      return ${name};\n    default:\n      return ${other.name};\n  }\n}`,
      );
      return `${chosen}(key.name)`;
    },
    { isUntyped: true, isTwo: true },
  ),
];
