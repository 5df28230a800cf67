/**
 * Any schema comes back from the classes that it was imported as, and nothing that is called a CRD makes
 * import or generation fail in another way than by saying what is wrong with it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { InternalError, TsopError } from "../../../src/errors.ts";
import { type Generated, generate } from "../../../src/generator/generate.ts";
import { importCrd } from "../../../src/generator/import/import-crd.ts";
import { crdDifferences } from "./same-crd.ts";

const seed = Number(process.env["TSOP_SEED"] ?? 20261121);
const numRuns = Number(process.env["TSOP_RUNS"] ?? 60);

type Node = Record<string, unknown>;

const some = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Node> =>
  fc.record(keywords, { requiredKeys: [] });

const words = fc.constantFrom(
  "name",
  "spec",
  "status",
  "class",
  "default",
  "constructor",
  "toString",
  "a-b",
  "a.b",
  "0",
  "$x",
  "ünïcode",
  "hasOwnProperty",
  "items",
  "properties",
  "metadata",
  "kind",
);

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "*/",
    "a */ b",
    "`${x}`",
    "@tag {x",
    "\\",
    "line\nline",
    " lead",
    "tail ",
    "",
    "\t",
  ),
);

const around = some({
  description: text,
  title: fc.string({ maxLength: 6 }),
  nullable: fc.constant(true),
});

const leaf: fc.Arbitrary<Node> = fc
  .tuple(
    around,
    fc.oneof(
      some({
        minLength: fc.nat(3),
        maxLength: fc.integer({ min: 4, max: 9 }),
        pattern: fc.constantFrom("^a/b$", "[[:alpha:]]+", "\\d", '"'),
        format: fc.constantFrom("date-time", "byte", "email", "no-such", "int64"),
        enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      }).map((keywords) => ({ type: "string", ...keywords })),
      some({
        minimum: fc.integer({ min: -5, max: 0 }),
        maximum: fc.integer({ min: 1, max: 9 }),
        multipleOf: fc.integer({ min: 1, max: 3 }),
        format: fc.constantFrom("int32", "int64", "no-such"),
      }).map((keywords) => ({ type: "integer", ...keywords })),
      fc.constantFrom<Node>(
        { type: "boolean" },
        { type: "boolean", default: false },
        { type: "number", format: "double" },
        { type: "number" },
        { type: "string", default: "" },
        { type: "integer", default: 0 },
        { "x-kubernetes-int-or-string": true },
        {
          anyOf: [{ type: "integer" }, { type: "string" }],
          "x-kubernetes-int-or-string": true,
        },
        { "x-kubernetes-preserve-unknown-fields": true },
        { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        { type: "object" },
        {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      ),
    ),
  )
  .map(([more, node]) => ({ ...node, ...more }));

const { schema } = fc.letrec<{ schema: Node; object: Node }>((tie) => ({
  schema: fc.oneof({ maxDepth: 4, withCrossShrink: true }, leaf, tie("object")),
  object: fc
    .tuple(
      around,
      fc.oneof(
        fc
          .tuple(
            fc.dictionary(words, tie("schema"), { maxKeys: 4 }),
            fc.subarray(["name", "class", "a-b", "0"]),
            some({
              "x-kubernetes-map-type": fc.constantFrom("atomic", "granular"),
              minProperties: fc.nat(1),
              "x-kubernetes-preserve-unknown-fields": fc.constant(true),
            }),
          )
          .map(([properties, required, more]) => ({
            type: "object",
            properties: { ...properties },
            ...(required.some((name) => Object.hasOwn(properties, name))
              ? { required: required.filter((name) => Object.hasOwn(properties, name)) }
              : {}),
            ...more,
          })),
        tie("schema").map((values) => ({ type: "object", additionalProperties: values })),
        fc
          .tuple(
            tie("schema"),
            some({ minItems: fc.nat(1), maxItems: fc.integer({ min: 2, max: 9 }) }),
          )
          .map(([items, more]) => ({
            type: "array",
            items,
            ...more,
          })),
      ),
    )
    .map(([more, node]) => ({ ...node, ...more })),
}));

const definition = (spec: unknown, more: object = {}): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "zones.dns.example.com" },
  spec: {
    group: "dns.example.com",
    names: { kind: "Zone", plural: "zones" },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
    ...more,
  },
});

describe("import and generation", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tsop-any-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** What is generated from what is imported. */
  async function roundTrip(crd: unknown): Promise<Generated> {
    rmSync(root, { recursive: true, force: true });
    for (const [path, source] of importCrd(crd, "any").files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    return generate({ root, cache: false });
  }

  it("give any schema back as it was", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (spec) => {
        const crd = definition(spec);
        const { files, diagnostics } = await roundTrip(crd);
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        // What the API server would refuse is refused here, too.
        fc.pre(errors.length === 0);
        const [, made = ""] = [...files].find(([path]) => path.includes("crd/bases")) ?? [];
        expect(crdDifferences(parse(made), crd)).toEqual([]);
      }),
      { numRuns, seed },
    );
  });

  it("say what is wrong with anything else", { timeout: 300_000 }, async () => {
    const junk: fc.Arbitrary<unknown> = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(null, "x", 1, [], {}, [null], [[]], { type: 5 }, { type: ["a"] }),
    );
    const places = fc.constantFrom(
      ["spec"],
      ["metadata"],
      ["spec", "names"],
      ["spec", "names", "kind"],
      ["spec", "names", "plural"],
      ["spec", "names", "shortNames"],
      ["spec", "group"],
      ["spec", "scope"],
      ["spec", "conversion"],
      ["spec", "versions"],
      ["spec", "versions", "0"],
      ["spec", "versions", "0", "name"],
      ["spec", "versions", "0", "subresources"],
      ["spec", "versions", "0", "additionalPrinterColumns"],
      ["spec", "versions", "0", "selectableFields"],
      ["spec", "versions", "0", "schema"],
      ["spec", "versions", "0", "schema", "openAPIV3Schema"],
      ["spec", "versions", "0", "schema", "openAPIV3Schema", "properties"],
      ["spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec"],
      ["spec", "versions", "0", "schema", "openAPIV3Schema", "required"],
      ["metadata", "annotations"],
    );
    const keyword = fc.constantFrom(
      ..."type format properties required items additionalProperties enum default pattern minimum maxLength anyOf not allOf nullable description x-kubernetes-validations x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-int-or-string".split(
        " ",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        schema,
        places,
        fc.option(keyword),
        junk,
        async (spec, place, word, value) => {
          const crd = definition(spec) as Node;
          const path =
            word === null
              ? place
              : ["spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", word];
          let at: Node = crd;
          for (const step of path.slice(0, -1)) at = at[step] as Node;
          at[path.at(-1) ?? ""] = value;
          try {
            await roundTrip(crd);
          } catch (error) {
            expect(error).toBeInstanceOf(TsopError);
            expect(error).not.toBeInstanceOf(InternalError);
          }
        },
      ),
      { numRuns, seed },
    );
  });
});
