import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import { strategyFor } from "../../../src/controlplane/builtin/strategies/strategy-for.ts";
import {
  type DocumentAnswer,
  type DocumentRequest,
  answerDiscovery,
} from "../../../src/controlplane/discovery/answer.ts";
import { compareVersions } from "../../../src/controlplane/discovery/versions.ts";
import type { ServedResource } from "../../../src/controlplane/kinds.ts";

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const widget = (version: string, group = "shop.example.com"): ServedResource => ({
  group,
  version,
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
  singular: "widget",
  listKind: "WidgetList",
  shortNames: ["wd"],
  categories: [],
  verbs: ["delete", "get", "list"],
  builtIn: false,
  storageVersion: "v1",
  schema: { type: "object" },
  strategy: strategyFor(group, "Widget"),
  subresources: [
    { name: "status", verbs: ["get", "patch", "update"], group, version, kind: "Widget" },
    {
      name: "scale",
      verbs: ["get", "patch", "update"],
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    },
  ],
});

const resources = [
  ...builtInResources(),
  widget("v1beta1"),
  widget("v1"),
  widget("v1", "a.example.com"),
];

type AskedDocument = DocumentRequest & { readonly method: string };

function get(path: string, more: Partial<AskedDocument> = {}): DocumentAnswer {
  const answer = answerDiscovery({ method: "GET", path, ...more }, resources, [], "127.0.0.1:1");
  if (!answer) throw new Error(`no ${path}`);
  return answer;
}

const json = (path: string, more?: Partial<AskedDocument>): unknown =>
  JSON.parse(get(path, more).body);

describe("answerDiscovery", () => {
  it("lists groups: built-in ones by priority, then custom ones by name", () => {
    const { groups } = json("/apis") as { groups: { name: string }[] };
    const names = groups.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["apiregistration.k8s.io", "apps", "events.k8s.io"]);
    expect(names.slice(-2)).toEqual(["a.example.com", "shop.example.com"]);
  });

  it("prefers the version of the highest priority", () => {
    expect(json("/apis/shop.example.com")).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "shop.example.com",
      versions: [
        { groupVersion: "shop.example.com/v1", version: "v1" },
        { groupVersion: "shop.example.com/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "shop.example.com/v1", version: "v1" },
    });
  });

  it("lists resources and their subresources, with the group of foreign kinds only", () => {
    expect(json("/apis/shop.example.com/v1")).toMatchObject({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "shop.example.com/v1",
      resources: [
        { name: "widgets", singularName: "widget", shortNames: ["wd"] },
        { name: "widgets/status", singularName: "", kind: "Widget" },
        { name: "widgets/scale", group: "autoscaling", version: "v1", kind: "Scale" },
      ],
    });
    expect(json("/api/v1")).not.toHaveProperty("apiVersion");
  });

  it("tells all at once in the aggregated form, with a tag that spares the repetition", () => {
    const answer = get("/apis", { accept: AGGREGATED });
    expect(answer.headers).toMatchObject({ "content-type": AGGREGATED, "cache-control": "public" });
    const { items } = JSON.parse(answer.body) as { items: { metadata: { name: string } }[] };
    const [shop] = items.filter(({ metadata }) => metadata.name === "shop.example.com");
    expect(shop).toMatchObject({
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "widgets",
              responseKind: { group: "shop.example.com", version: "v1", kind: "Widget" },
              scope: "Namespaced",
            },
          ],
        },
        { version: "v1beta1" },
      ],
    });
    const etag = answer.headers["etag"];
    expect(get("/apis", { accept: AGGREGATED, ifNoneMatch: etag })).toMatchObject({
      status: 304,
      body: "",
    });
  });

  it("has no aggregated form of version v2beta1: the next form of the header is taken", () => {
    const beta = AGGREGATED.replace("v=v2", "v=v2beta1");
    expect(json("/apis", { accept: `${beta},application/json` })).toMatchObject({
      kind: "APIGroupList",
    });
    expect(() => get("/apis", { accept: beta })).toThrow("only the following media types");
  });

  it("answers YAML", () => {
    expect(get("/apis/shop.example.com", { accept: "application/yaml" }).body).toMatch(
      /^apiVersion: v1\nkind: APIGroup\nname: shop\.example\.com\npreferredVersion:\n {2}groupVersion/,
    );
  });

  it("knows nothing of unknown groups, and says so of versions of built-in ones", () => {
    const none = answerDiscovery({ method: "GET", path: "/apis/nope" }, resources, [], "");
    expect(none).toBeUndefined();
    expect(() => get("/apis/apps/v9")).toThrow("the server could not find the requested resource");
    expect(() => get("/api/v2")).toThrow("the server could not find the requested resource");
  });

  it("takes GET only where built-in paths are", () => {
    expect(() => get("/apis/apps/v1", { method: "PUT" })).toThrow(
      "the server does not allow this method",
    );
    expect(get("/apis/shop.example.com/v1", { method: "PUT" }).status).toBe(200);
  });
});

describe("compareVersions", () => {
  it("sorts stable before beta before alpha, higher numbers first, other names last", () => {
    const versions = ["foo10", "v1alpha2", "v10", "v2beta1", "v2", "v1beta1", "foo1", "v1alpha1"];
    expect([...versions].sort(compareVersions)).toEqual([
      "v10",
      "v2",
      "v2beta1",
      "v1beta1",
      "v1alpha2",
      "v1alpha1",
      "foo1",
      "foo10",
    ]);
  });
});
