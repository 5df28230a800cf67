/** The ways in which code reaches its client, and a method of it. */
import type { Parts } from "./parts.ts";

/** A way to a client. */
export interface ClientRoute {
  readonly name: string;
  readonly needsClass?: boolean;
  /** Whether the rights depend on it: reads that leave out the cache. */
  readonly isLive?: boolean;
  /** Adds what the route needs; returns the expression, which stands in `reconcile`. */
  write(parts: Parts): string;
}

const route = (
  name: string,
  write: ClientRoute["write"],
  more: Omit<ClientRoute, "name" | "write"> = {},
): ClientRoute => ({ name, write, ...more });
const ofClass = { needsClass: true };

/** All ways; the first is the plainest. In every `reconcile`, `client` is one. */
export const CLIENT_ROUTES: readonly ClientRoute[] = [
  route("a variable", () => "client"),
  route("the field", () => "this.client", ofClass),
  route("the live one", () => "client.live", { isLive: true }),
  route("another variable", (parts) => {
    parts.before.push(`const ${parts.name("api")} = client;`);
    return parts.name("api");
  }),
  route("a typed variable", (parts) => {
    parts.before.push(`const ${parts.name("api")}: Client = client;`);
    return parts.name("api");
  }),
  route("a record", (parts) => {
    parts.before.push(`const ${parts.name("scope")} = { client, key };`);
    return `${parts.name("scope")}.client`;
  }),
  route("a spread record", (parts) => {
    parts.before.push(`const ${parts.name("scope")} = { ...{ client }, key };`);
    return `${parts.name("scope")}.client`;
  }),
  route("a destructured record", (parts) => {
    parts.before.push(`const ${parts.name("scope")} = { client, key };`);
    parts.before.push(`const { client: ${parts.name("api")} } = ${parts.name("scope")};`);
    return parts.name("api");
  }),
  route("a function", (parts) => {
    const api = parts.name("apiOf");
    parts.put("helpers", `export function ${api}(client: Client): Client { return client; }`);
    return `helpers.${api}(client)`;
  }),
  route("a function without a type", (parts) => {
    const api = parts.name("apiOf");
    parts.put("controller", `const ${api} = (client: Client) => client;`);
    return `${api}(client)`;
  }),
  route(
    "a function in a field",
    (parts) => {
      parts.member(`readonly #${parts.name("api")} = (): Client => this.client;`);
      return `this.#${parts.name("api")}()`;
    },
    ofClass,
  ),
  route(
    "a getter",
    (parts) => {
      parts.member(`get ${parts.name("api")}() { return this.client; }`);
      return `this.${parts.name("api")}`;
    },
    ofClass,
  ),
  route(
    "a getter with a type",
    (parts) => {
      parts.member(`private get ${parts.name("api")}(): Client { return this.client; }`);
      return `this.${parts.name("api")}`;
    },
    ofClass,
  ),
  route("a condition", () => '(key.name === "first" ? client : client.live)', { isLive: true }),
  route("a fallback", (parts) => {
    parts.before.push(`const ${parts.name("noApi")} = undefined as Client | undefined;`);
    return `(${parts.name("noApi")} ?? client)`;
  }),
  route("a promise", () => "(await Promise.resolve(client))"),
  route("a value without a type", (parts) => {
    parts.before.push(`const ${parts.name("api")}: any = client;`);
    return parts.name("api");
  }),
  route("two assertions", () => "(client as unknown as Client)"),
  route("a map", (parts) => {
    parts.before.push(
      `const ${parts.name("clients")} = new Map<string, Client>([["one", client]]);`,
    );
    return `${parts.name("clients")}.get("one")!`;
  }),
  route("a list", (parts) => {
    parts.before.push(`const ${parts.name("clients")} = [client];`);
    return `${parts.name("clients")}[0]!`;
  }),
  route("a destructured list", (parts) => {
    parts.before.push(`const [${parts.name("api")}] = [client] as const;`);
    return parts.name("api");
  }),
  route("assigned properties", () => "Object.assign({}, { client }).client"),
  route("a reflected property", () => '(Reflect.get({ client }, "client") as Client)'),
  route("an identity", (parts) => {
    const same = parts.name("sameApi");
    parts.put("helpers", `export const ${same} = <T>(one: T): T => one;`);
    return `helpers.${same}(client)`;
  }),
  route("a function that returns a function", (parts) => {
    const give = parts.name("give");
    parts.put("helpers", `export const ${give} = (client: Client) => (): Client => client;`);
    return `helpers.${give}(client)()`;
  }),
  route("a subtype", (parts) => {
    const type = parts.name("Api");
    parts.put("helpers", `export interface ${type} extends Client { readonly title?: string; }`);
    return `(client as helpers.${type})`;
  }),
  route("a holder", (parts) => {
    const type = parts.name("Holder");
    parts.put(
      "helpers",
      `export class ${type}<C> {\nconstructor(readonly held: C) {}\nget value(): C {\nreturn this.held;\n}\n}`,
    );
    return `new helpers.${type}(client).value`;
  }),
];

/** A way to a method of a client. */
export interface MethodRoute {
  readonly name: string;
  write(parts: Parts, client: string, method: string): string;
}

/** All ways; the first is the plainest. */
export const METHOD_ROUTES: readonly MethodRoute[] = [
  { name: "a property", write: (_, client, method) => `${client}.${method}` },
  { name: "a property by its name", write: (_, client, method) => `${client}["${method}"]` },
  { name: "an optional property", write: (_, client, method) => `${client}?.${method}` },
  {
    name: "a destructured method",
    write(parts, client, method) {
      parts.before.push(`const { ${method}: ${parts.name(method)} } = ${client};`);
      return parts.name(method);
    },
  },
  {
    name: "a method in a variable",
    write(parts, client, method) {
      parts.before.push(`const ${parts.name(method)} = ${client}.${method};`);
      return parts.name(method);
    },
  },
  {
    name: "a client of an arrow function",
    write(parts, client, method) {
      parts.before.push(`const ${parts.name("of")} = async () => ${client};`);
      return `(await ${parts.name("of")}()).${method}`;
    },
  },
  {
    name: "a constant key",
    write(parts, client, method) {
      parts.before.push(`const ${parts.name("verb")} = "${method}";`);
      return `${client}[${parts.name("verb")}]`;
    },
  },
  {
    name: "a part of a client",
    write(parts, client, method) {
      const part = parts.name("part");
      parts.before.push(`const ${part}: Pick<Client, "${method}"> = ${client} as Client;`);
      return `${part}.${method}`;
    },
  },
  {
    name: "a bound method",
    write(parts, client, method) {
      parts.before.push(`const ${parts.name(method)} = ${client}.${method}.bind(${client});`);
      return parts.name(method);
    },
  },
];
