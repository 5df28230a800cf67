import { describe, expect, it } from "vitest";
import { importCrd } from "../../../src/generator/import/import-crd.ts";

/** A definition with this schema for `spec`. */
function definition(spec: object, more: object = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "records.dns.example.com" },
    spec: {
      group: "dns.example.com",
      names: { kind: "Zone", plural: "zones" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } } },
          },
        },
      ],
      ...more,
    },
  };
}

const sourceOf = (crd: object): string => [...importCrd(crd, "test").files.values()].join("\n");

describe("importCrd", () => {
  it("writes what an author would: types, initialisers and markers", () => {
    const source = sourceOf(
      definition({
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, description: "The zone's name." },
          ttl: { type: "integer", format: "int32", default: 300, minimum: 0 },
          kind: { type: "string", enum: ["primary", "secondary"] },
          hosts: { type: "array", items: { type: "string", maxLength: 63 } },
        },
      }),
    );
    expect(source).toContain("  /** The zone's name. */\n  @MinLength(1) name!: string;\n");
    expect(source).toContain("  @Minimum(0) ttl: Int32 = 300;\n");
    expect(source).toContain('  kind?: "primary" | "secondary";\n');
    expect(source).toContain("  hosts?: With<string, { maxLength: 63 }>[];\n");
  });

  it("gives equal objects one class, named by the path at which it was met first", () => {
    const end = { type: "object", properties: { port: { type: "integer", format: "int32" } } };
    const source = sourceOf(definition({ properties: { from: end, to: end } }));
    expect(source).toContain("from?: ZoneFrom;");
    expect(source).toContain("to?: ZoneFrom;");
  });

  it("does not let a class hide a type or a marker that the file uses", () => {
    const names = { kind: "Record", plural: "records" };
    const source = sourceOf(definition({ properties: { a: { type: "object" } } }, { names }));
    expect(source).toContain('kind: "Record"');
    expect(source).toContain("export class RecordKind extends CustomResource<");
  });

  it("quotes every text of a stranger, so that none becomes code or a path", () => {
    const hostile = `"); process.exit(1); ("`;
    const { files } = importCrd(
      definition(
        {
          properties: {
            [hostile]: { type: "string", enum: [hostile], description: `*/ ${hostile} /*` },
            constructor: { type: "string" },
          },
        },
        { versions: [{ name: "v1", served: true, storage: true, schema: {} }] },
      ),
      "test",
    );
    expect([...files.keys()]).toEqual(["src/api/v1/zone.ts"]);
    const source = sourceOf(definition({ properties: { [hostile]: { type: "string" } } }));
    expect(source).toContain(`${JSON.stringify(hostile)}?: string;`);
  });

  it("brings a definition of v1beta1 up to v1, and says what changed", () => {
    const { files, notes } = importCrd(
      {
        apiVersion: "apiextensions.k8s.io/v1beta1",
        kind: "CustomResourceDefinition",
        metadata: { name: "zones.dns.example.com" },
        spec: {
          group: "dns.example.com",
          version: "v1alpha1",
          names: { kind: "Zone", plural: "zones" },
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: "Age", type: "date", JSONPath: ".metadata.x" }],
          validation: { openAPIV3Schema: { type: "object" } },
        },
      },
      "old.yaml",
    );
    expect([...files.values()].join("")).toContain('@PrintColumn("Age", ".metadata.x"');
    expect(notes).toEqual([
      "spec.scope was not set; it is Namespaced.",
      "spec.version became the only entry of spec.versions.",
      "spec.validation moved into each version.",
      "spec.subresources moved into each version.",
      "spec.additionalPrinterColumns moved into each version; JSONPath is jsonPath now.",
      "v1beta1 kept unknown fields everywhere; v1 keeps them only in fields with @PreserveUnknownFields().",
    ]);
  });

  it("says what of a definition of v1beta1 is said twice, and which of the two holds", () => {
    const { notes } = importCrd(
      {
        apiVersion: "apiextensions.k8s.io/v1beta1",
        kind: "CustomResourceDefinition",
        metadata: { name: "zones.dns.example.com" },
        spec: {
          group: "dns.example.com",
          version: "v3",
          scope: "Cluster",
          names: { kind: "Zone", plural: "zones" },
          preserveUnknownFields: false,
          conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://example.com" } },
          subresources: { status: {} },
          validation: { openAPIV3Schema: { type: "object" } },
          versions: [
            {
              name: "v2",
              served: true,
              storage: true,
              additionalPrinterColumns: [{ name: "A", type: "string", JSONPath: ".a" }],
            },
            {
              name: "v1",
              served: true,
              storage: false,
              schema: { openAPIV3Schema: { type: "object" } },
            },
          ],
        },
      },
      "old.yaml",
    );
    expect(notes).toEqual([
      'spec.version, "v3", was omitted because spec.versions lists other versions.',
      "spec.validation moved into each version but v1, with its own.",
      "spec.subresources moved into each version.",
      "JSONPath of the versions' additionalPrinterColumns is jsonPath now.",
      "spec.conversion.conversionReviewVersions was not set; it is v1beta1.",
      "spec.conversion.webhookClientConfig moved to spec.conversion.webhook.",
      "spec.conversion: the API server keeps calling the webhook that it names, with its caBundle. To convert in this project, run `tsop create webhook --conversion`, which replaces it.",
    ]);
  });

  it("says what it leaves out, since the API server would not read it", () => {
    const { files, notes } = importCrd(
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "zones.dns.example.com", finalizers: ["example.com/x"] },
        spec: {
          group: "dns.example.com",
          names: { kind: "Zone", plural: "zones", shortName: "z" },
          validation: { openAPIV3Schema: { type: "object" } },
          conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              deprecationWarning: "use v2",
              subresource: { status: {} },
              additionalPrinterColumns: [
                { name: "A", type: "string", jsonPath: ".a", JSONPath: ".b", width: 3 },
              ],
              schema: { openAPIV3Schema: { type: "object", optional: true } },
            },
          ],
        },
      },
      "typos.yaml",
    );
    expect([...files.values()].join("")).not.toContain("width");
    expect(notes).toEqual([
      "v1 has no field spec.names.shortName; it was omitted.",
      "v1 has no field spec.validation; it was omitted.",
      "v1 has no field spec.versions[0].subresource; it was omitted.",
      "v1 has no field spec.versions[0].additionalPrinterColumns[0].JSONPath; it was omitted.",
      "v1 has no field spec.versions[0].additionalPrinterColumns[0].width; it was omitted.",
      "spec.scope was not set; it is Namespaced.",
      "spec.versions[0].deprecationWarning was omitted because the version is not deprecated.",
      "spec.conversion.webhook was omitted because the strategy None does not call a webhook.",
      "metadata.finalizers was omitted because it belongs to one object in one cluster.",
      "v1: the API server does not know the keyword optional; it was omitted.",
    ]);
  });

  it.each<[string, object, string]>([
    ["a scope of another name", { scope: "namespaced" }, 'spec.scope is "namespaced"'],
    [
      "two versions of one name",
      { versions: [{ name: "v1" }, { name: "v1" }] },
      "spec.versions[1] is another v1",
    ],
  ])("refuses %s instead of mending it", (_what, spec, problem) => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "zones.dns.example.com" },
      spec: {
        group: "dns.example.com",
        names: { kind: "Zone", plural: "zones" },
        versions: [{ name: "v1", served: true, storage: true }],
        ...spec,
      },
    };
    expect(() => importCrd(crd, "x.yaml")).toThrow(problem);
  });

  it("refuses what is no definition", () => {
    expect(() => importCrd({ kind: "Deployment" }, "x.yaml")).toThrow(
      "x.yaml: this is a Deployment.",
    );
  });
});
