/** Calls in functions. */
import { args, body, clientType, inner, names, params, type CallRoute } from "./call-route.ts";

export const FUNCTIONS: readonly CallRoute[] = [
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
];
