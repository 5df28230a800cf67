/** Mutations that make a schema odd or wrong. */
import type { Random } from "../../../test/support/random.ts";
import type { Json } from "./scenario.ts";

/** Something that makes a schema odd or wrong. */
export function spoil(random: Random, schema: Json): void {
  const nodes: Json[] = [];
  const collect = (node: unknown): void => {
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    nodes.push(node as Json);
    for (const child of Object.values(((node as Json)["properties"] as Json | undefined) ?? {}))
      collect(child);
    collect((node as Json)["items"]);
    collect((node as Json)["additionalProperties"]);
  };
  collect(schema);
  const node = random.pick(nodes);
  Object.assign(
    node,
    random.pick<Json>([
      { type: "strin" },
      { type: "" },
      { type: undefined },
      { default: {} },
      { default: "x" },
      { default: [1] },
      { default: null },
      { enum: ["a", "a"] },
      { enum: [1, null] },
      { pattern: "(" },
      { uniqueItems: true },
      { additionalProperties: false },
      { additionalProperties: { type: "string" } },
      { items: undefined },
      { items: [{ type: "string" }] },
      { "x-kubernetes-list-type": "map" },
      { "x-kubernetes-list-type": "odd" },
      { "x-kubernetes-list-map-keys": ["k", "k"] },
      { "x-kubernetes-list-map-keys": ["zz"] },
      { "x-kubernetes-map-type": "odd" },
      { "x-kubernetes-preserve-unknown-fields": false },
      { "x-kubernetes-embedded-resource": true },
      { "x-kubernetes-int-or-string": true },
      { $ref: "#/x" },
      { anyOf: [{ type: "string" }] },
      { anyOf: [{ properties: { zz: { minLength: 1 } } }] },
      { allOf: [{ default: 1 }] },
      { not: { nullable: true } },
      { nullable: true },
      { format: "int-or-string" },
      { required: ["a", "zz"] },
      { multipleOf: 0 },
      { maxLength: -1 },
      { description: "d", title: "t", example: { a: 1 }, externalDocs: { url: "u" } },
      { deprecated: true },
      { exclusiveMinimum: true },
      { minimum: 5, maximum: 1 },
      { maxItems: 1.5 },
      { "x-kubernetes-validations": [{ rule: "" }] },
      { "x-kubernetes-validations": [{ rule: "self ==" }] },
      { dependencies: { a: ["b"] } },
      { patternProperties: { "^a": { type: "string" } } },
      { definitions: { a: { type: "string" } } },
      { id: "i", $schema: "s" },
    ]),
  );
}
