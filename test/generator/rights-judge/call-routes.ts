/** The ways in which code reaches the place where it calls its client. */
import type { Operation } from "./operations.ts";
import type { Parts } from "./parts.ts";

/** A call that a route places. */
export interface Call {
  readonly operation: Operation;
  /** The expressions of the client and of the kind, in `reconcile`. */
  readonly client: string;
  readonly kind: string;
  /** The type of parameters that stand for the kind. */
  readonly kindType: string;
  /** The same operation on other expressions. */
  code(client: string, kind: string): string;
}

/** A way to a call. */
export interface CallRoute {
  readonly name: string;
  readonly needsClass?: boolean;
  /** Whether the kind is not handed on. */
  readonly isOfClient?: boolean;
  /** Adds what the route needs; returns the statements, which stand in `reconcile`. */
  write(parts: Parts, call: Call): string;
}

const clientType = ({ operation }: Call): string => (operation.reads ? "Reader" : "Client");
const params = (call: Call): string =>
  `client: ${clientType(call)}, kind: ${call.kindType}, key: ObjectKey${call.operation.needsPage ? ", page: Page" : ""}`;
const args = ({ client, kind, operation }: Call): string =>
  `${client}, ${kind}, key${operation.needsPage ? ", page" : ""}`;
const names = ({ operation }: Call): string =>
  `client, kind, key${operation.needsPage ? ", page" : ""}`;
const body = (call: Call): string => `{\n${call.code("client", "kind")}\n}`;
const inner = (call: Call): string => call.code(call.client, call.kind);

/** All ways; the first is the plainest. */
export const CALL_ROUTES: readonly CallRoute[] = [
  { name: "at once", isOfClient: true, write: (_, call) => inner(call) },
  {
    name: "a function",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "controller",
        `async function ${name}(${params(call)}): Promise<void> ${body(call)}`,
      );
      return `await ${name}(${args(call)});`;
    },
  },
  {
    name: "a function of another file",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "helpers",
        `export async function ${name}(${params(call)}): Promise<void> ${body(call)}`,
      );
      return `await helpers.${name}(${args(call)});`;
    },
  },
  {
    name: "an arrow function",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "controller",
        `const ${name} = async (${params(call)}): Promise<void> => ${body(call)};`,
      );
      return `await ${name}(${args(call)});`;
    },
  },
  {
    name: "a closure",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("run");
      return `const ${name} = async (): Promise<void> => {\n${inner(call)}\n};\nawait ${name}();`;
    },
  },
  {
    name: "a function that is called at once",
    isOfClient: true,
    write: (_, call) => `await (async () => {\n${inner(call)}\n})();`,
  },
  {
    name: "a generic function",
    write(parts, call) {
      const name = parts.name("run");
      const generic = call.kindType === "Token" ? "<T extends KubeObject>" : "";
      const typed = { ...call, kindType: generic === "" ? call.kindType : "Token<T>" };
      parts.put(
        "helpers",
        `export async function ${name}${generic}(${params(typed)}): Promise<void> ${body(call)}`,
      );
      return `await helpers.${name}(${args(call)});`;
    },
  },
  {
    name: "two functions",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "helpers",
        `export async function ${name}(${params(call)}): Promise<void> ${body(call)}`,
      );
      parts.put(
        "controller",
        `function ${name}(${params(call)}): Promise<void> {\nreturn helpers.${name}(${names(call)});\n}`,
      );
      return `await ${name}(${args(call)});`;
    },
  },
  {
    name: "a destructured parameter",
    write(parts, call) {
      const name = parts.name("run");
      const page = call.operation.needsPage ? "; page: Page" : "";
      parts.put(
        "helpers",
        `export async function ${name}({ ${names(call)} }: { client: ${clientType(call)}; kind: ${call.kindType}; key: ObjectKey${page} }): Promise<void> ${body(call)}`,
      );
      const given = `{ client: ${call.client}, kind: ${call.kind}, key${call.operation.needsPage ? ", page" : ""} }`;
      return `await helpers.${name}(${given});`;
    },
  },
  {
    name: "an options parameter",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "helpers",
        `interface ${parts.name("Options")} { readonly kind: ${call.kindType}; }`,
      );
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "helpers",
        `export async function ${name}(client: ${clientType(call)}, key: ObjectKey, options: ${parts.name("Options")}${page}): Promise<void> {\n${call.code("client", "options.kind")}\n}`,
      );
      return `await helpers.${name}(${call.client}, key, { kind: ${call.kind} }${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "a curried function",
    write(parts, call) {
      const name = parts.name("run");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "controller",
        `const ${name} = (client: ${clientType(call)}) => async (kind: ${call.kindType}, key: ObjectKey${page}): Promise<void> => ${body(call)};`,
      );
      return `await ${name}(${call.client})(${call.kind}, key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "spread arguments",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "controller",
        `async function ${name}(${params(call)}): Promise<void> ${body(call)}`,
      );
      return `const ${name}Args = [${args(call)}] as const;\nawait ${name}(...${name}Args);`;
    },
  },
  {
    name: "a rest parameter",
    write(parts, call) {
      const name = parts.name("run");
      const page = call.operation.needsPage ? "page: Page, " : "";
      parts.put(
        "controller",
        `async function ${name}(client: ${clientType(call)}, key: ObjectKey, ${page}...kinds: ${call.kindType.includes("<") ? `(${call.kindType})` : call.kindType}[]): Promise<void> {\nfor (const kind of kinds) {\n${call.code("client", "kind")}\n}\n}`,
      );
      return `await ${name}(${call.client}, key, ${call.operation.needsPage ? "page, " : ""}${call.kind});`;
    },
  },
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
    name: "a wrapper",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("within");
      parts.put(
        "helpers",
        `export async function ${name}<T>(work: () => Promise<T>): Promise<T> {\nreturn await work();\n}`,
      );
      return `await helpers.${name}(async () => {\n${inner(call)}\n});`;
    },
  },
  {
    name: "a wrapper that hands in the client",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("using");
      const type = clientType(call);
      parts.put(
        "helpers",
        `export const ${name} = async <T>(client: ${type}, work: (client: ${type}) => Promise<T>): Promise<T> => work(client);`,
      );
      return `await helpers.${name}(${call.client}, async (client) => {\n${call.code("client", call.kind)}\n});`;
    },
  },
  {
    name: "a wrapper that hands in the kind",
    write(parts, call) {
      const name = parts.name("each");
      parts.put(
        "helpers",
        `export async function ${name}<K>(kinds: readonly K[], work: (kind: K) => Promise<void>): Promise<void> {\nfor (const kind of kinds) await work(kind);\n}`,
      );
      return `await helpers.${name}([${call.kind}], async (kind) => {\n${call.code(call.client, "kind")}\n});`;
    },
  },
  {
    name: "a function that is handed on",
    write(parts, call) {
      const name = parts.name("run");
      parts.put(
        "helpers",
        `export async function ${name}(${params(call)}): Promise<void> ${body(call)}`,
      );
      parts.put(
        "controller",
        `async function ${parts.name("call")}<A extends unknown[]>(run: (...given: A) => Promise<void>, ...given: A): Promise<void> {\nawait run(...given);\n}`,
      );
      return `await ${parts.name("call")}(helpers.${name}, ${args(call)});`;
    },
  },
  {
    name: "a class",
    write(parts, call) {
      const name = parts.name("Store");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "helpers",
        `export class ${name} {\nconstructor(private readonly client: ${clientType(call)}, private readonly kind: ${call.kindType}) {}\nasync run(key: ObjectKey${page}): Promise<void> {\n${call.code("this.client", "this.kind")}\n}\n}`,
      );
      return `await new helpers.${name}(${call.client}, ${call.kind}).run(key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "a class with private fields",
    write(parts, call) {
      const name = parts.name("Store");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "controller",
        `class ${name} {\nreadonly #client: ${clientType(call)};\nreadonly #kind: ${call.kindType};\nconstructor(client: ${clientType(call)}, kind: ${call.kindType}) {\nthis.#client = client;\nthis.#kind = kind;\n}\nasync run(key: ObjectKey${page}): Promise<void> {\n${call.code("this.#client", "this.#kind")}\n}\n}`,
      );
      return `const ${name}one = new ${name}(${call.client}, ${call.kind});\nawait ${name}one.run(key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "a base class",
    write(parts, call) {
      const name = parts.name("Base");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "helpers",
        `export abstract class ${name} {\nconstructor(protected readonly client: ${clientType(call)}) {}\nprotected abstract kindOf(key: ObjectKey): Promise<${call.kindType}>;\nasync run(key: ObjectKey${page}): Promise<void> {\nconst kind = await this.kindOf(key);\n${call.code("this.client", "kind")}\n}\n}`,
      );
      const own = parts.name("Own");
      return `class ${own} extends helpers.${name} {\nprotected async kindOf() {\nreturn ${call.kind.replaceAll("this.", "self.")};\n}\n}\nawait new ${own}(${call.client}).run(key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "a method",
    needsClass: true,
    write(parts, call) {
      const name = parts.name("run");
      parts.member(`private async ${name}(${params(call)}): Promise<void> ${body(call)}`);
      return `await this.${name}(${args(call)});`;
    },
  },
  {
    name: "a method with its own client",
    needsClass: true,
    write(parts, call) {
      const name = parts.name("run");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.member(
        `async #${name}(kind: ${call.kindType}, key: ObjectKey${page}): Promise<void> {\n${call.code("this.client", "kind")}\n}`,
      );
      return `await this.#${name}(${call.kind}, key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
  {
    name: "an arrow function in a field",
    needsClass: true,
    write(parts, call) {
      const name = parts.name("run");
      parts.member(
        `private readonly ${name} = async (${params(call)}): Promise<void> => ${body(call)};`,
      );
      return `await this.${name}(${args(call)});`;
    },
  },
  {
    name: "recursion",
    write(parts, call) {
      const name = parts.name("run");
      const page = call.operation.needsPage ? ", page: Page" : "";
      const given = call.operation.needsPage ? ", page" : "";
      parts.put(
        "controller",
        `async function ${name}(client: ${clientType(call)}, kinds: readonly (${call.kindType})[], key: ObjectKey${page}): Promise<void> {\nconst [kind, ...more] = kinds;\nif (!kind) return;\n${call.code("client", "kind")}\nawait ${name}(client, more, key${given});\n}`,
      );
      return `await ${name}(${call.client}, [${call.kind}], key${given});`;
    },
  },
  {
    name: "a namespace",
    write(parts, call) {
      const name = parts.name("Tools");
      parts.put(
        "helpers",
        `export namespace ${name} {\nexport async function run(${params(call)}): Promise<void> ${body(call)}\n}`,
      );
      return `await helpers.${name}.run(${args(call)});`;
    },
  },
  {
    name: "a factory of operations",
    write(parts, call) {
      const name = parts.name("make");
      const page = call.operation.needsPage ? ", page: Page" : "";
      parts.put(
        "helpers",
        `export function ${name}(client: ${clientType(call)}, kind: ${call.kindType}) {\nreturn {\nrun: async (key: ObjectKey${page}): Promise<void> => ${body(call)},\n};\n}`,
      );
      return `await helpers.${name}(${call.client}, ${call.kind}).run(key${call.operation.needsPage ? ", page" : ""});`;
    },
  },
];
