/** Calls in functions that are bound, kept, handed on or called later. */
import {
  args,
  body,
  clientType,
  inner,
  keyArgs,
  keyParams,
  params,
  type Call,
  type CallRoute,
} from "./call-route.ts";
import type { Parts } from "../parts.ts";

/** A function of the controller's file that makes the call. */
function put(parts: Parts, call: Call): string {
  const name = parts.name("run");
  parts.put("controller", `async function ${name}(${params(call)}): Promise<void> ${body(call)}`);
  return name;
}

export const MORE_FUNCTIONS: readonly CallRoute[] = [
  {
    name: "a default parameter",
    write(parts, call) {
      const name = parts.name("run");
      const kind = parts.name("kindFor");
      parts.before.push(`const ${kind} = ${call.kind};`);
      return `const ${name} = async (client: ${clientType(call)}, ${keyParams(call)}, kind: ${call.kindType} = ${kind}): Promise<void> => ${body(call)};\nawait ${name}(${call.client}, ${keyArgs(call)});`;
    },
  },
  {
    name: "a default in options",
    write(parts, call) {
      const name = parts.name("run");
      const kind = parts.name("kindFor");
      parts.before.push(`const ${kind} = ${call.kind};`);
      return `const ${name} = async (client: ${clientType(call)}, ${keyParams(call)}, { kind = ${kind} }: { kind?: ${call.kindType} } = {}): Promise<void> => ${body(call)};\nawait ${name}(${call.client}, ${keyArgs(call)});`;
    },
  },
  {
    name: "a generator",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("steps");
      return `const ${name} = async function* (this: void): AsyncGenerator<string> {\n${call.code("api", call.kind)}\nyield "done";\n};\nfor await (const step of ${name}()) String(step);`.replace(
        "\n",
        `\nconst api = ${call.client.startsWith("this.") ? call.client.replace("this.", "self.") : call.client};\n`,
      );
    },
  },
  {
    name: "a bound function",
    write(parts, call) {
      const name = put(parts, call);
      return `const ${name}Bound = ${name}.bind(undefined, ${call.client}, ${call.kind});\nawait ${name}Bound(${keyArgs(call)});`;
    },
  },
  {
    name: "a called function",
    write: (parts, call) => `await ${put(parts, call)}.call(undefined, ${args(call)});`,
  },
  {
    name: "a reflected call",
    write: (parts, call) => `await Reflect.apply(${put(parts, call)}, undefined, [${args(call)}]);`,
  },
  {
    name: "a function that keeps its result",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("once");
      parts.put(
        "helpers",
        `export function ${name}<T>(work: () => Promise<T>): () => Promise<T> {\nlet kept: Promise<T> | undefined;\nreturn () => (kept ??= work());\n}`,
      );
      return `const ${name} = helpers.${name}(async () => {\n${inner(call)}\n});\nawait ${name}();`;
    },
  },
  {
    name: "a callback that is called later",
    isOfClient: true,
    write(parts, call) {
      const name = parts.name("later");
      parts.put(
        "helpers",
        `export const ${name} = (work: () => Promise<void>): Promise<void> =>\nnew Promise((resolve, reject) => {\nqueueMicrotask(() => {\nwork().then(resolve, reject);\n});\n});`,
      );
      return `await helpers.${name}(async () => {\n${inner(call)}\n});`;
    },
  },
  {
    name: "a scope",
    write(parts, call) {
      const type = parts.name("Scope");
      const name = parts.name("run");
      const { needsPage } = call.operation;
      parts.put(
        "helpers",
        `export interface ${type} { readonly api: ${clientType(call)}; readonly token: ${call.kindType}; readonly key: ObjectKey; ${needsPage ? "readonly page: Page;" : ""} }`,
      );
      parts.put(
        "helpers",
        `async function ${name}Within(scope: ${type}): Promise<void> {\nconst { key${needsPage ? ", page" : ""} } = scope;\n${call.code("scope.api", "scope.token")}\n}\nexport async function ${name}(scope: ${type}): Promise<void> {\nawait ${name}Within({ ...scope });\n}`,
      );
      return `await helpers.${name}({ api: ${call.client}, token: ${call.kind}, ${keyArgs(call)} });`;
    },
  },
  {
    name: "a module with a client",
    write(parts, call) {
      const name = parts.name("api");
      parts.put(
        "helpers",
        `let ${name}M: ${clientType(call)};\nexport function ${name}Is(client: ${clientType(call)}): void {\n${name}M = client;\n}\nexport async function ${name}Run(kind: ${call.kindType}, ${keyParams(call)}): Promise<void> {\n${call.code(`${name}M`, "kind")}\n}`,
      );
      return `helpers.${name}Is(${call.client});\nawait helpers.${name}Run(${call.kind}, ${keyArgs(call)});`;
    },
  },
];
