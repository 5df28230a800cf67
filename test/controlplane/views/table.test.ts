import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import { parseIncludeObject, show, tableOf } from "../../../src/controlplane/views/show.ts";
import type { KubeList, SentObject } from "../../../src/kube/object.ts";

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const configMap = (name: string): SentObject & { data: object } => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" },
  data: { a: "1", b: "2" },
});
const listOf = (...items: SentObject[]): KubeList<SentObject> => ({
  apiVersion: "v1",
  kind: "ConfigMapList",
  metadata: { resourceVersion: "9", continue: "", remainingItemCount: 3 },
  items,
});
const printer = (plural: string) =>
  builtInResources().find((resource) => resource.plural === plural)?.table;

const options = { version: "v1", includeObject: "Metadata", nowMs } as const;

describe("tableOf", () => {
  it("has a row for each object of a list, with the object's metadata", () => {
    const table = tableOf(listOf(configMap("a")), { ...options, printer: printer("configmaps") });
    expect(table).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      columnDefinitions: [
        { name: "Name", type: "string", format: "name", priority: 0 },
        { name: "Data", type: "string", format: "", priority: 0 },
        { name: "Age", type: "string", format: "", priority: 0 },
      ],
      rows: [{ cells: ["a", 2, "5m"], object: { kind: "PartialObjectMetadata" } }],
    });
    expect(table.metadata).toEqual({ resourceVersion: "9", remainingItemCount: 3 });
  });

  it("holds the whole object, or none, when asked to", () => {
    const [none, whole] = (["None", "Object"] as const).map(
      (includeObject) => tableOf(configMap("a"), { ...options, includeObject }).rows?.[0]?.object,
    );
    expect(none).toBeNull();
    expect(whole).toEqual(configMap("a"));
  });

  it("shows the bookmark that ends the initial events although no objects were asked for", () => {
    const bookmark = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { resourceVersion: "9", annotations: { "k8s.io/initial-events-end": "true" } },
    };
    const table = tableOf(bookmark, { ...options, includeObject: "None" });
    expect(table.rows?.[0]?.object).toMatchObject({ metadata: bookmark.metadata });
  });

  it("has no columns after the first event of a watch", () => {
    expect(
      tableOf(configMap("a"), { ...options, withColumns: false }).columnDefinitions,
    ).toBeNull();
  });

  it("has null for rows when a kind without columns of its own has no objects", () => {
    expect(tableOf(listOf(), { ...options, printer: printer("limitranges") }).rows).toBeNull();
    expect(tableOf(listOf(), { ...options, printer: printer("configmaps") }).rows).toEqual([]);
    expect(tableOf(listOf(), options).rows).toEqual([]);
  });
});

describe("parseIncludeObject", () => {
  it("takes None, Metadata, Object, and Metadata for nothing", () => {
    expect([null, "", "None", "Object"].map(parseIncludeObject)).toEqual([
      "Metadata",
      "Metadata",
      "None",
      "Object",
    ]);
  });

  it("refuses anything else", () => {
    expect(() => parseIncludeObject("none")).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "none": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});

describe("show", () => {
  const shownAs = (kind: "PartialObjectMetadata" | "PartialObjectMetadataList", of: SentObject) =>
    show(of, {
      view: { kind, version: "v1" },
      printer: undefined,
      includeObject: "Metadata",
      nowMs,
      goType: "core.ConfigMap",
    });

  it("leaves the metadata of an object", () => {
    expect(shownAs("PartialObjectMetadata", configMap("a"))).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: configMap("a").metadata,
    });
  });

  it("has null for the items of an empty list of metadata", () => {
    expect(shownAs("PartialObjectMetadataList", listOf() as unknown as SentObject)).toMatchObject({
      items: null,
      metadata: { resourceVersion: "9" },
    });
  });

  it("refuses the metadata of one for many, and of many for one", () => {
    expect(() => shownAs("PartialObjectMetadata", listOf() as unknown as SentObject)).toThrow(
      "you requested PartialObjectMetadata, but the requested object is a list",
    );
    expect(() => shownAs("PartialObjectMetadataList", configMap("a"))).toThrow(
      "you requested PartialObjectMetadataList, but the requested object is not a list",
    );
  });
});
