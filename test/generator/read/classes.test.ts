import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { generate } from "../../../src/generator/generate.ts";
import type { Schema } from "../../../src/kube/schema/structural.ts";
import { emptyFolder } from "../../cli/support/run-cli.ts";

const HEAD = `import { Cel, CustomResource, Maximum, MaxLength, Minimum, MinLength, Pattern, Resource, type Int32 } from "tsop";
`;
const KIND = `
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<Spec> {}
`;

/** What is made and told of a file whose second line is the first of `code`. */
async function made(code: string, more: Readonly<Record<string, string>> = {}) {
  const root = emptyFolder();
  for (const [path, text] of Object.entries({ "src/page.ts": HEAD + code, ...more })) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, "node_modules"), { recursive: true });
  symlinkSync(resolve("."), join(root, "node_modules/tsop"));
  symlinkSync(resolve("node_modules/typescript"), join(root, "node_modules/typescript"));
  const { files, diagnostics } = await generate({ root, cache: false });
  const crd = files.get("config/crd/bases/web.example.com_pages.yaml");
  const text = crd === undefined ? undefined : (parse(crd) as Crd);
  return {
    root: text?.spec.versions[0].schema.openAPIV3Schema.properties,
    spec: text?.spec.versions[0].schema.openAPIV3Schema.properties?.["spec"],
    told: diagnostics.map(({ file, line, code: what, message }) => ({
      at: `${file}:${line}`,
      what,
      message,
    })),
  };
}

interface Crd {
  readonly spec: { readonly versions: readonly [{ readonly schema: { openAPIV3Schema: Schema } }] };
}

describe("fields of classes", () => {
  it("are the parameter properties of the constructor too", async () => {
    const { spec, told } = await made(`class Spec {
  constructor(public host: string, /** A port. */ readonly port?: Int32, private secret = "", plain = "") {}
}${KIND}`);
    expect(told).toEqual([]);
    expect(spec).toMatchObject({
      properties: { host: { type: "string" }, port: { type: "integer", description: "A port." } },
      required: ["host"],
    });
    expect(Object.keys(spec?.properties ?? {})).toEqual(["host", "port"]);
  });

  it("keep the markers and the text of the field that they override", async () => {
    const { spec } = await made(`class Base {
  /** In seconds. */
  @Minimum(1) @Maximum(60) wait!: Int32;
  @MinLength(2) mode!: string;
}
class Spec extends Base { override wait = 30; override mode!: "on" | "off" }${KIND}`);
    const wait = {
      description: "In seconds.",
      minimum: 1,
      maximum: 60,
      default: 30,
      format: "int32",
    };
    expect(spec?.properties).toMatchObject({
      wait: { ...wait, type: "integer" },
      mode: { type: "string", minLength: 2, enum: ["on", "off"] },
    });
    expect(spec?.required).toEqual(["mode"]);
  });
});

describe("decorators that are composed of markers", () => {
  it.each([
    [
      "a function that returns a decorator",
      "function Port() { return (t: object, k: string) => { Minimum(1)(t, k); Maximum(9)(t, k); }; }",
      "@Port()",
    ],
    [
      "an arrow function with arguments",
      "const Port = (least: number, most = 9) => (t: object, k: string) => { Minimum(least)(t, k); Maximum(most)(t, k); };",
      "@Port(1)",
    ],
    [
      "a decorator of decorators",
      "const Low = () => Minimum(1);\nfunction Port(t: object, k: string) { Low()(t, k); return Maximum(9)(t, k); }",
      "@Port",
    ],
    [
      "a constant",
      "const AtMost = Maximum(9);\nconst AtLeast = (n: number) => Minimum(n);",
      "@AtMost @AtLeast(1)",
    ],
  ])("are followed: %s", async (_, before, decorator) => {
    const { spec, told } = await made(`${before}\nclass Spec { ${decorator} port!: Int32 }${KIND}`);
    expect(told).toEqual([]);
    expect(spec?.properties?.["port"]).toMatchObject({ minimum: 1, maximum: 9 });
  });

  it.each([
    [
      "a condition",
      "function Port() { return (t: object, k: string) => { if (k) Minimum(1)(t, k); }; }",
      "@Port()",
    ],
    [
      "a helper of a package's",
      "const all = (...d: unknown[]) => () => d;\nconst Port = all(Minimum(1));",
      "@Port()",
    ],
    [
      "markers on another field",
      "function Port() { return (t: object, k: string) => { Minimum(1)(t, 'x'); }; }",
      "@Port()",
    ],
    ["one that calls itself", "function Port(): unknown { return Port(Minimum(1)); }", "@Port()"],
  ])("are refused where they are used: %s", async (_, before, decorator) => {
    const { told } = await made(`${before}\nclass Spec {\n ${decorator} port!: Int32 }${KIND}`);
    const line = before.split("\n").length + 3;
    expect(told).toMatchObject([{ at: `src/page.ts:${line}`, what: "decorator-not-followed" }]);
  });

  it("and those that have to do with no marker are nobody's business", async () => {
    const { told } = await made(`const log = () => (t: object, k: string) => { console.log(t, k); };
class Spec { @log() port!: Int32 }${KIND}`);
    expect(told).toEqual([]);
  });
});

describe("a class between a kind and CustomResource", () => {
  it("passes on its type arguments, its fields and its markers", async () => {
    const { root, spec, told } = await made(`class Spec { host!: string }
class Status { ready?: boolean }
@Cel("self.metadata.name != 'x'")
abstract class Base<S, X = Status> extends CustomResource<S, X> { owner?: string }
class Middle<S> extends Base<S> {}
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends Middle<Spec> {}`);
    expect(told).toEqual([]);
    expect(spec).toMatchObject({ properties: { host: { type: "string" } }, required: ["host"] });
    expect(Object.keys(root ?? {})).toEqual(expect.arrayContaining(["owner", "status"]));
  });

  it("is refused with the reason when it is made at run time", async () => {
    const { told } = await made(`class Spec { host!: string }
const mixed = (base: typeof CustomResource) => base;
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends mixed(CustomResource) {}`);
    expect(told[0]).toMatchObject({ at: "src/page.ts:5", what: "resource-needs-base" });
    expect(told[0]?.message).toContain("computed at run time");
  });
});

describe("types of packages", () => {
  const PACKAGE = {
    "node_modules/pods/package.json": '{ "name": "pods", "types": "index.d.ts" }',
    "node_modules/pods/index.d.ts": `export declare class V1Container {
  "name": string;
  "ports"?: number[];
  "at"?: Date;
  static getAttributes(): string[];
}`,
    "tsconfig.json": '{ "compilerOptions": { "moduleResolution": "bundler", "module": "esnext" } }',
  };

  it("are read as far as they are used", async () => {
    const { spec, told } = await made(
      `import { V1Container } from "pods";\nclass Spec { own!: Pick<V1Container, "name"> }${KIND}`,
      PACKAGE,
    );
    expect(told).toEqual([]);
    expect(spec?.properties?.["own"]).toMatchObject({ required: ["name"] });
  });

  it("are refused once, at the user's line", async () => {
    const { told } = await made(
      `import { V1Container } from "pods";\nclass Spec {\n  own!: V1Container }${KIND}`,
      PACKAGE,
    );
    expect(told).toMatchObject([{ at: "src/page.ts:4", what: "foreign-type" }]);
    expect(told[0]?.message).toContain("(and 1 more)");
  });
});

describe("what is refused", () => {
  it("are kinds that cannot be imported", async () => {
    const { told } = await made(`class Spec { host!: string }
export namespace api {
  @Resource({ group: "web.example.com", version: "v1" })
  export class Hidden extends CustomResource<Spec> {}
}
export function kindOf() {
  @Resource({ group: "web.example.com", version: "v1" })
  class Local extends CustomResource<Spec> {}
  return Local;
}${KIND}`);
    expect(told.map(({ at, what }) => `${at} ${what}`)).toEqual([
      "src/page.ts:4 kind-not-at-top",
      "src/page.ts:8 kind-not-at-top",
    ]);
  });

  it("are types that grow without end, in bounded memory", async () => {
    const classes = Array.from(
      { length: 25 },
      (_, index) => `class C${index} { a!: C${index + 1}; b!: C${index + 1} }`,
    );
    const { told } = await made(`${classes.join("\n")}
class C25 { end?: string }
class Spec { tree!: C0 }${KIND}`);
    expect(told).toMatchObject([{ at: "src/page.ts:30", what: "schema-too-large" }]);
  });

  it.each([
    ["Date.now()", "is called when the program runs"],
    ["later", "is a variable, which can change"],
    ["missing", "is declared neither"],
    ["Phase.Stopped", "has no field Stopped"],
    ["10n", "is a bigint"],
    ["() => 1", "is a function"],
  ])("is the default %s, with its reason", async (value, reason) => {
    const { told } = await made(`let later = 1;
const Phase = { Running: "Running" } as const;
class Spec { a?: Int32 = ${value} }${KIND}`);
    expect(told[0]).toMatchObject({ at: "src/page.ts:4", what: "default-not-constant" });
    expect(told[0]?.message).toContain(reason);
    expect(told).toHaveLength(1);
  });
});

it("a pattern keeps its flags, as Go writes them", async () => {
  const { spec } = await made(`class Spec { @Pattern(/^a.b$/is) a!: string }${KIND}`);
  expect(spec?.properties?.["a"]?.pattern).toBe("(?is)^a.b$");
});

it("a deprecated field says so as Go does", async () => {
  const { spec } = await made(`class Spec {
  /** The host.
   * @deprecated use b */
  a?: string;
  /** @deprecated use c */
  b?: string;
}${KIND}`);
  expect(spec?.properties?.["a"]?.description).toBe("The host.\n\nDeprecated: use b");
  expect(spec?.properties?.["b"]?.description).toBe("Deprecated: use c");
});

it("tests in __tests__ and mocks are no sources", async () => {
  const { told } = await made(`class Spec { host!: string }${KIND}`, {
    "src/__tests__/kind.ts": `${HEAD}class Spec { a!: any }${KIND}`,
  });
  expect(told).toEqual([]);
});
