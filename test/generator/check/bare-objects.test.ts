/** `object` accepts any field and the API server drops them, which is reported at its line. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generate } from "../../../src/generator/generate.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsop-bare-"));
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(resolve("node_modules/typescript"), join(root, "node_modules/typescript"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function toldOf(field: string): Promise<string[]> {
  const source = `import { CustomResource, EmbeddedResource, PreserveUnknownFields, Resource } from "tsop";
class Empty {}
export class PageSpec {
  ${field};
}
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec> { empty?: Empty }
`;
  writeFileSync(join(root, "src/page.ts"), source);
  const { diagnostics } = await generate({ root, cache: false });
  return diagnostics.map(
    ({ line, column, severity, code }) => `${line}:${column} ${severity} ${code}`,
  );
}

describe("a type that lets any fields in", () => {
  it.each([
    ["v!: object", 7],
    ["v?: object | null", 7],
    ["v!: {}", 7],
    ["v!: object[]", 7],
    ["v!: Record<string, object>", 22],
    ["v!: { inner: object }", 16],
    ["v!: Readonly<object>", 7],
    ["v!: NonNullable<object | undefined>", undefined],
  ])("is told of, as the API server drops them: %s", async (field, column) => {
    expect(await toldOf(field)).toEqual([
      column === undefined
        ? expect.stringMatching(/^4:\d+ warning object-drops-fields$/)
        : `4:${column} warning object-drops-fields`,
    ]);
  });

  it.each([
    "@PreserveUnknownFields() v!: object",
    "@EmbeddedResource() @PreserveUnknownFields() v!: object",
    "v!: Record<string, unknown>",
    "v!: Record<string, never>",
    "v!: Empty",
    "v!: { a: string } & object",
  ])(
    "is none where the schema keeps what it holds, or the type has no fields: %s",
    async (field) => {
      expect(await toldOf(field)).toEqual([]);
    },
  );
});
