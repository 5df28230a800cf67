import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import { strategyFor } from "../../../src/controlplane/builtin/strategies/strategy-for.ts";
import { OpenApi } from "../../../src/controlplane/openapi/openapi.ts";
import type { DocumentAnswer } from "../../../src/controlplane/discovery/answer.ts";
import type { ServedResource } from "../../../src/controlplane/kinds.ts";
import type { Schema } from "../../../src/kube/schema/structural.ts";

const widget = (schema: Schema): ServedResource => ({
  group: "shop.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  singular: "widget",
  listKind: "WidgetList",
  shortNames: [],
  categories: [],
  verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
  builtIn: false,
  storageVersion: "v1",
  schema,
  strategy: strategyFor("shop.example.com", "Widget"),
  subresources: [],
  selectableFields: { "spec.color": () => "" },
});

const builtIn = builtInResources();
const shop = [
  ...builtIn,
  widget({
    type: "object",
    description: "A widget.",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string", maxLength: 5 } } },
      spec: {
        type: "object",
        description: "",
        properties: {
          port: { "x-kubernetes-int-or-string": true },
          embedded: { type: "object", "x-kubernetes-embedded-resource": true, required: ["kind"] },
        },
      },
    },
  }),
];

interface Document {
  readonly paths: Record<string, Record<string, Record<string, unknown>>>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

const get = (path: string, resources = builtIn, more = {}): DocumentAnswer => {
  const request = { path: `/openapi/v3${path}`, nowMs: 0, ...more };
  const answer = new OpenApi("v1.36.3").answer(request, resources);
  return { ...answer, body: String(answer.body) };
};
const documentAt = (path: string, resources = builtIn): Document =>
  JSON.parse(get(path, resources).body) as Document;

const META = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.";

describe("OpenApi", () => {
  it("has an index of documents whose addresses change with their content", () => {
    const { paths } = JSON.parse(get("", shop).body) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(["api/v1", "apis/apps", "apis/apps/v1", "apis/shop.example.com/v1"]),
    );
    expect(paths["apis/apps/v1"]?.serverRelativeURL).toMatch(
      /^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/,
    );
    expect(paths).not.toHaveProperty("apis/shop.example.com");
  });

  it("lets a hashed document be kept for ever, and sends a client with an old hash on", () => {
    const { headers } = get("/apis/apps/v1");
    const hash = headers["etag"]?.slice(1, -1);
    expect(get("/apis/apps/v1", builtIn, { hash }).headers).toMatchObject({
      "cache-control": "public, immutable",
      expires: "Fri, 01 Jan 1971 00:00:00 GMT",
    });
    expect(get("/apis/apps/v1", builtIn, { hash: "0" })).toMatchObject({
      status: 301,
      headers: { location: `/openapi/v3/apis/apps/v1?hash=${hash ?? ""}` },
      body: "",
    });
  });

  it("spares a client what it has", () => {
    const etag = get("/apis/apps/v1").headers["etag"];
    for (const ifNoneMatch of [etag, "*"]) {
      expect(get("/apis/apps/v1", builtIn, { ifNoneMatch })).toMatchObject({
        status: 304,
        body: "",
      });
    }
    expect(get("/apis/apps/v1", builtIn, { ifNoneMatch: '"other"' }).status).toBe(200);
  });

  it("refuses without a body what it does not have", () => {
    expect(get("/apis/nope/v1")).toMatchObject({ status: 404, body: "" });
    expect(get("/apis/apps/v1", builtIn, { accept: "application/yaml" })).toMatchObject({
      status: 406,
      body: "",
    });
  });

  it("tells kubectl how a built-in kind is patched", () => {
    const { paths } = documentAt("/apis/apps/v1");
    const patch = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.["patch"];
    expect(patch).toMatchObject({
      operationId: "patchAppsV1NamespacedDeployment",
      parameters: [
        { name: "dryRun" },
        { name: "fieldManager" },
        { name: "fieldValidation" },
        { name: "force" },
      ],
      requestBody: { content: { "application/strategic-merge-patch+json": {} } },
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
    });
  });

  it("holds every definition that it refers to", () => {
    const { body } = get("/api/v1");
    const { schemas } = (JSON.parse(body) as Document).components;
    const names = [...body.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(schemas)));
  });

  it("shows a custom kind with standard metadata, and spells out what extensions mean", () => {
    const { schemas } = documentAt("/apis/shop.example.com/v1", shop).components;
    const shown = schemas["com.example.shop.v1.Widget"];
    expect(shown).toMatchObject({
      type: "object",
      description: "A widget.",
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: { allOf: [{ $ref: `${META}ObjectMeta` }] },
        spec: {
          properties: {
            port: { anyOf: [{ type: "integer" }, { type: "string" }] },
            embedded: {
              required: ["kind", "apiVersion"],
              properties: { metadata: { allOf: [{ $ref: `${META}ObjectMeta` }] } },
            },
          },
        },
      },
      "x-kubernetes-group-version-kind": [
        { group: "shop.example.com", version: "v1", kind: "Widget" },
      ],
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
    });
    expect(JSON.stringify(shown)).not.toContain("maxLength");
    expect(shown?.["properties"]).not.toHaveProperty("spec.description");
    expect(schemas["com.example.shop.v1.WidgetList"]).toMatchObject({ required: ["items"] });
  });

  it("names operations in letters and digits, whatever the group is called", () => {
    const dashed = { ...widget({ type: "object" }), group: "my-shop.example.com" };
    const { paths } = documentAt("/apis/my-shop.example.com/v1", [...builtIn, dashed]);
    expect(paths["/apis/my-shop.example.com/v1/widgets"]?.["get"]).toMatchObject({
      operationId: "listMyShopExampleComV1WidgetForAllNamespaces",
      tags: ["myShopExampleCom_v1"],
    });
  });

  it("offers no strategic merge patch and no watch paths for a custom kind", () => {
    const { paths } = documentAt("/apis/shop.example.com/v1", shop);
    const one = paths["/apis/shop.example.com/v1/namespaces/{namespace}/widgets/{name}"];
    expect(Object.keys(one?.["patch"]?.["requestBody"] as object)).toContain("content");
    expect(JSON.stringify(one)).not.toContain("strategic-merge-patch");
    expect(Object.keys(paths).filter((path) => path.includes("/watch/"))).toEqual([]);
  });

  it("keeps the documents of groups that did not change when others do", () => {
    const api = new OpenApi("v1.36.3");
    const etag = (resources: readonly ServedResource[], path: string): string | undefined =>
      api.answer({ path: `/openapi/v3${path}`, nowMs: 0 }, resources).headers["etag"];
    const before = etag(shop, "/apis/shop.example.com/v1");
    const changed = [...builtIn, widget({ type: "object" })];
    expect(etag(changed, "/apis/shop.example.com/v1")).not.toBe(before);
    expect(etag(changed, "/apis/apps/v1")).toBe(etag(shop, "/apis/apps/v1"));
    expect(
      api.answer({ path: "/openapi/v3/apis/shop.example.com/v1", nowMs: 0 }, builtIn).status,
    ).toBe(404);
  });
});
