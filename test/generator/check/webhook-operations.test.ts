import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { generateFrom, told } from "./mistakes-table.ts";

const HEAD = `import { CustomResource, MutatingWebhook, Resource, ValidatingWebhook } from "tsop";
import { Base } from "./base.ts";
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<{ a?: string }> {}
`;

const run = (code: string, base = "export class Base {}"): ReturnType<typeof generateFrom> =>
  generateFrom({ "base.ts": base, "page.ts": HEAD + code });

interface Configuration {
  readonly webhooks: readonly { readonly rules: readonly { readonly operations: string[] }[] }[];
}

async function operationsOf(code: string, base?: string): Promise<string[][]> {
  const generated = await run(code, base);
  expect(told(generated)).toEqual([]);
  const text = generated.files.get("config/webhook/manifests.yaml") ?? "";
  return parseAllDocuments(text).flatMap((document) =>
    (document.toJS() as Configuration).webhooks.flatMap(({ rules }) =>
      rules.map(({ operations }) => operations),
    ),
  );
}

const create = "validateCreate(): void {}";
const update = "validateUpdate(): void {}";
const remove = "validateDelete(): void {}";

describe("the operations of a webhook", () => {
  it.each<[methods: string, operations: string[]]>([
    [create, ["CREATE"]],
    [`${remove} ${update}`, ["UPDATE", "DELETE"]],
    [`${create} ${update} ${remove}`, ["CREATE", "UPDATE", "DELETE"]],
    ["validateDelete = (): void => {};", ["DELETE"]],
    ["'validateCreate'(): void {}", ["CREATE"]],
    ["async validateUpdate(): Promise<void> {}", ["UPDATE"]],
    ["handle(): unknown { return {}; }", ["CREATE", "UPDATE"]],
  ])("follow from the methods of a validator: %s", async (methods, operations) => {
    expect(await operationsOf(`@ValidatingWebhook(Page)\nexport class V { ${methods} }`)).toEqual([
      operations,
    ]);
  });

  it("follow from inherited methods too", async () => {
    const base = `class Root { ${create} }\nexport class Base extends Root { ${remove} }`;
    const code = `@ValidatingWebhook(Page)\nexport class V extends Base { ${update} }`;
    expect(await operationsOf(code, base)).toEqual([["CREATE", "UPDATE", "DELETE"]]);
  });

  it("are the usual ones where what a class extends is not in the project", async () => {
    const code = `import { Other } from "elsewhere";\n@ValidatingWebhook(Page)\nexport class V extends Other {}\n@MutatingWebhook(Page)\nexport class M extends mixed(Base) {}`;
    expect(await operationsOf(code)).toEqual([
      ["CREATE", "UPDATE"],
      ["CREATE", "UPDATE"],
    ]);
  });

  it("may be spread over the markers of a class, and are free where handle answers", async () => {
    const code = `@ValidatingWebhook(Page, { operations: ["CREATE"], failurePolicy: "Ignore" })
@ValidatingWebhook(Page, { operations: ["UPDATE"], name: "u.page.example.com", path: "/u" })
export class V { ${create} ${update} }
@MutatingWebhook(Page, { operations: ["DELETE", "CONNECT"] })
export class M { handle(): unknown { return {}; } }`;
    expect(await operationsOf(code)).toEqual([["DELETE", "CONNECT"], ["UPDATE"], ["CREATE"]]);
  });

  it("are free, and need no method, where others answer", async () => {
    const code = `@ValidatingWebhook(Page, { url: "https://a.b", operations: ["*"] })
@MutatingWebhook(Page, { service: { name: "gate", namespace: "gates" }, operations: ["DELETE"] })
export class Elsewhere {}`;
    expect(await operationsOf(code)).toEqual([["DELETE"], ["*"]]);
  });

  it.each<[what: string, code: string, finding: string]>([
    [
      "a method that is not there",
      `@ValidatingWebhook(Page, { operations: ["CREATE", "DELETE"] })\nexport class V { ${create} }`,
      "5 wrong-operations: V is registered for DELETE, and has validateCreate alone: it would be allowed without validation.",
    ],
    [
      "all operations",
      `@ValidatingWebhook(Page, { operations: ["*"] })\nexport class V { ${create} ${update} ${remove} }`,
      "5 wrong-operations: V is registered for *, and has no method for CONNECT: the rest would be allowed without validation.",
    ],
    [
      "CONNECT",
      `@ValidatingWebhook(Page, { operations: ["CONNECT"] })\nexport class V { ${create} }`,
      "5 wrong-operations: V is registered for CONNECT, and has validateCreate alone: it would be allowed without validation.",
    ],
    [
      "less than the methods",
      `@ValidatingWebhook(Page, { operations: ["CREATE"] })\nexport class V { ${create} ${remove} }`,
      "5 wrong-operations: V has validateDelete, which is never called because it is registered for CREATE.",
    ],
    [
      "a validator without methods",
      "@ValidatingWebhook(Page)\nexport class V { validate(): void {} }",
      "5 wrong-operations: V has @ValidatingWebhook, but none of the methods validateCreate, validateUpdate, validateDelete, and handle.",
    ],
    [
      "a defaulter without methods",
      "@MutatingWebhook(Page)\nexport class M extends Base {}",
      "5 wrong-operations: M has @MutatingWebhook, and has neither default nor handle to answer it.",
    ],
    [
      "a defaulter at DELETE",
      '@MutatingWebhook(Page, { operations: ["CREATE", "DELETE"] })\nexport class M { default(): void {} }',
      "5 wrong-operations: A defaulter is called only for CREATE and UPDATE, when there is an object to change, but M is registered for DELETE.",
    ],
  ])("are refused at their line: %s", async (_what, code, finding) => {
    const found = told(await run(code));
    expect(found[0]).toBe(finding);
    expect(found.filter((line) => !line.includes("wrong-operations"))).toEqual([]);
  });
});
