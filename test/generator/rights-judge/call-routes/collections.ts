/** Calls in tables, lists and promises. */
import { args, body, inner, names, params, type CallRoute } from "./call-route.ts";

export const COLLECTIONS: readonly CallRoute[] = [
  {
    name: "a table of functions",
    write(parts, call) {
      const name = parts.name("table");
      parts.put(
        "controller",
        `const ${name} = {\n  run: async (${params(call)}): Promise<void> => ${body(call)},\n};`,
      );
      return `await ${name}.run(${args(call)});`;
    },
  },
  {
    name: "a typed table of functions",
    write(parts, call) {
      const name = parts.name("table");
      const type = `Record<string, (${params(call)}) => Promise<void>>`;
      parts.put(
        "controller",
        `const ${name}: ${type} = {\n  run: async (${names(call)}) => ${body(call)},\n};`,
      );
      return `await ${name}["run"]!(${args(call)});`;
    },
  },
  {
    name: "a table of functions that satisfies a type",
    write(parts, call) {
      const name = parts.name("table");
      const type = `Record<string, (${params(call)}) => Promise<void>>`;
      parts.put(
        "controller",
        `const ${name} = {\n  run: async (${names(call)}) => ${body(call)},\n} satisfies ${type};`,
      );
      return `for (const run of Object.values(${name})) await run(${args(call)});`;
    },
  },
  {
    name: "a list of steps",
    write(parts, call) {
      const name = parts.name("steps");
      parts.put(
        "controller",
        `type ${parts.name("Step")} = (${params(call)}) => Promise<void>;\nconst ${name}: readonly ${parts.name("Step")}[] = [async (${names(call)}) => ${body(call)}];`,
      );
      return `for (const run of ${name}) await run(${args(call)});`;
    },
  },
  {
    name: "a loop",
    write: (_, call) =>
      `for (const kind of [${call.kind}]) {\n${call.code(call.client, "kind")}\n}`,
  },
  {
    name: "a loop over entries",
    write: (_, call) =>
      `for (const [, kind] of Object.entries({ one: ${call.kind} })) {\n${call.code(call.client, "kind")}\n}`,
  },
  {
    name: "map with all",
    write: (_, call) =>
      `await Promise.all([${call.kind}].map(async (kind) => {\n${call.code(call.client, "kind")}\n}));`,
  },
  {
    name: "all of several",
    isOfClient: true,
    write: (_, call) =>
      `await Promise.all([(async () => {\n${inner(call)}\n})(), Promise.resolve()]);`,
  },
  {
    name: "forEach",
    write: (parts, call) =>
      `const ${parts.name("jobs")}: Promise<void>[] = [];\n[${call.kind}].forEach((kind) => {\n${parts.name("jobs")}.push((async () => {\n${call.code(call.client, "kind")}\n})());\n});\nawait Promise.all(${parts.name("jobs")});`,
  },
  {
    name: "reduce",
    write: (_, call) =>
      `await [${call.kind}].reduce(async (earlier, kind) => {\nawait earlier;\n${call.code(call.client, "kind")}\n}, Promise.resolve());`,
  },
  {
    name: "a promise's then",
    write: (_, call) =>
      `await Promise.resolve(${call.kind}).then(async (kind) => {\n${call.code(call.client, "kind")}\n});`,
  },
  {
    name: "allSettled",
    write: (_, call) =>
      `const outcomes = await Promise.allSettled([${call.kind}].map(async (kind) => {\n${call.code(call.client, "kind")}\n}));\nfor (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;`,
  },
  {
    name: "flatMap",
    write: (_, call) =>
      `await Promise.all([${call.kind}].flatMap((kind) => [(async () => {\n${call.code(call.client, "kind")}\n})()]));`,
  },
  {
    name: "a filtered list",
    write: (_, call) =>
      `for (const kind of [${call.kind}].filter((one) => one !== undefined)) {\n${call.code(call.client, "kind")}\n}`,
  },
  {
    name: "a set",
    write: (_, call) =>
      `for (const kind of new Set([${call.kind}])) {\n${call.code(call.client, "kind")}\n}`,
  },
  {
    name: "a list that grows",
    write(parts, call) {
      const name = parts.name("kinds");
      return `const ${name}: (${call.kindType})[] = [];\n${name}.push(${call.kind});\nfor (const kind of ${name}) {\n${call.code(call.client, "kind")}\n}`;
    },
  },
  {
    name: "a map of lists",
    write(parts, call) {
      const name = parts.name("byName");
      return `const ${name} = new Map<string, (${call.kindType})[]>([["one", [${call.kind}]]]);\nfor (const kind of ${name}.get("one") ?? []) {\n${call.code(call.client, "kind")}\n}`;
    },
  },
  {
    name: "a record by key",
    write(parts, call) {
      const name = parts.name("byName");
      return `const ${name}: { [name: string]: ${call.kindType} } = { first: ${call.kind}, second: ${call.kind} };\nconst kind = ${name}[key.name];\nif (kind) {\n${call.code(call.client, "kind")}\n}`;
    },
  },
  {
    name: "a tuple of client and kind",
    write: (_, call) =>
      `for (const [api, kind] of [[${call.client}, ${call.kind}] as const]) {\n${call.code("api", "kind")}\n}`,
  },
  {
    name: "a list of records",
    write: (_, call) =>
      `for (const { kind } of [{ kind: ${call.kind}, title: "one" }]) {\n${call.code(call.client, "kind")}\n}`,
  },
  {
    name: "from a list",
    write: (_, call) =>
      `await Promise.all(Array.from([${call.kind}], async (kind) => {\n${call.code(call.client, "kind")}\n}));`,
  },
];
