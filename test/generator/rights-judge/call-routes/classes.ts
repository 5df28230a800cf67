/** Calls in classes. */
import {
  args,
  body,
  clientType,
  keyArgs,
  keyParams,
  names,
  params,
  type CallRoute,
} from "./call-route.ts";

export const CLASSES: readonly CallRoute[] = [
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
    name: "a generic class",
    write(parts, call) {
      const name = parts.name("Repository");
      const generic = call.kindType === "Token" ? "<T extends KubeObject>" : "";
      const type = generic === "" ? call.kindType : "Token<T>";
      parts.put(
        "helpers",
        `export class ${name}${generic} {\nconstructor(private readonly client: ${clientType(call)}, private readonly kind: ${type}) {}\nasync run(${keyParams(call)}): Promise<void> {\n${call.code("this.client", "this.kind")}\n}\n}`,
      );
      return `const ${name}one = new helpers.${name}(${call.client}, ${call.kind});\nawait ${name}one.run(${keyArgs(call)});`;
    },
  },
  {
    name: "a static method",
    write(parts, call) {
      const name = parts.name("Tools");
      parts.put(
        "helpers",
        `export class ${name} {\nstatic async run(${params(call)}): Promise<void> ${body(call)}\n}`,
      );
      return `await helpers.${name}.run(${args(call)});`;
    },
  },
  {
    name: "an interface",
    write(parts, call) {
      const name = parts.name("Store");
      parts.put(
        "helpers",
        `export interface ${name} {\nrun(${keyParams(call)}): Promise<void>;\n}\nexport class ${name}Of implements ${name} {\nconstructor(private readonly client: ${clientType(call)}, private readonly kind: ${call.kindType}) {}\nasync run(${keyParams(call)}): Promise<void> {\n${call.code("this.client", "this.kind")}\n}\n}`,
      );
      return `const ${name}one: helpers.${name} = new helpers.${name}Of(${call.client}, ${call.kind});\nawait ${name}one.run(${keyArgs(call)});`;
    },
  },
  {
    name: "a class with an options object",
    write(parts, call) {
      const name = parts.name("Store");
      const options = `{ readonly client: ${clientType(call)}; readonly kind: ${call.kindType} }`;
      parts.put(
        "helpers",
        `export class ${name} {\nreadonly #options: ${options};\nconstructor(options: ${options}) {\nthis.#options = options;\n}\nasync run(${keyParams(call)}): Promise<void> {\nconst { client, kind } = this.#options;\n${call.code("client", "kind")}\n}\n}`,
      );
      return `await new helpers.${name}({ client: ${call.client}, kind: ${call.kind} }).run(${keyArgs(call)});`;
    },
  },
  {
    name: "an overridden method",
    write(parts, call) {
      const name = parts.name("Step");
      parts.put(
        "helpers",
        `export class ${name} {\nasync run(${params(call)}): Promise<void> {\nString(client ?? kind ?? key);\n}\n}\nexport class ${name}Own extends ${name} {\noverride async run(${params(call)}): Promise<void> {\nawait super.run(${names(call)});\n${call.code("client", "kind")}\n}\n}`,
      );
      return `const ${name}one: helpers.${name} = new helpers.${name}Own();\nawait ${name}one.run(${args(call)});`;
    },
  },
  {
    name: "a method of an object",
    write(parts, call) {
      const name = parts.name("store");
      return `const ${name} = {\napi: ${call.client},\nkind: ${call.kind},\nasync run(${keyParams(call)}): Promise<void> {\n${call.code("this.api", "this.kind")}\n},\n};\nawait ${name}.run(${keyArgs(call)});`;
    },
  },
];
