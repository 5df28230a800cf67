import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import type { ServedResource } from "../../../src/controlplane/kinds.ts";

const resources = builtInResources();
const find = (plural: string, version = "v1", group = ""): ServedResource => {
  const found = resources.find(
    (resource) =>
      resource.plural === plural && resource.version === version && resource.group === group,
  );
  if (!found) throw new Error(`no ${plural}`);
  return found;
};

describe("builtInResources", () => {
  it("serves stable versions only, as a server with default flags does", () => {
    expect(new Set(resources.map(({ version }) => version))).toEqual(new Set(["v1", "v2"]));
    expect(find("customresourcedefinitions", "v1", "apiextensions.k8s.io").namespaced).toBe(false);
    expect(find("apiservices", "v1", "apiregistration.k8s.io").kind).toBe("APIService");
  });

  it("has names, verbs and subresources of each", () => {
    const deployments = find("deployments", "v1", "apps");
    expect(deployments).toMatchObject({
      kind: "Deployment",
      listKind: "DeploymentList",
      singular: "deployment",
      shortNames: ["deploy"],
      categories: ["all"],
    });
    expect(
      deployments.subresources.map(({ name, group, kind }) => `${name} ${group} ${kind}`),
    ).toEqual(["scale autoscaling Scale", "status apps Deployment"]);
    expect(find("namespaces").verbs).not.toContain("deletecollection");
  });

  it("writes the object itself through its status, and not through its scale", () => {
    const { subresources } = find("deployments", "v1", "apps");
    const writers = subresources.filter(({ strategy }) => strategy !== undefined);
    expect(writers.map(({ name }) => name)).toEqual(["status"]);
  });

  it("keeps HorizontalPodAutoscalers in version 2, whatever version they are written in", () => {
    const served = ["v1", "v2"].map((v) => find("horizontalpodautoscalers", v, "autoscaling"));
    expect(served.map(({ storageVersion }) => storageVersion)).toEqual(["v2", "v2"]);
  });

  it("has a schema for every resource, and a table for all that can be read", () => {
    for (const resource of resources) {
      expect(resource.schema.properties, resource.plural).toHaveProperty("kind");
      expect(resource.table !== undefined).toBe(resource.verbs.includes("get"));
    }
  });

  it("warns of what is deprecated", () => {
    expect(find("endpoints").deprecationWarning).toBe(
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    );
  });

  it("reads the fields that selectors may ask for; an absent one has the zero value of its type", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { nodeName: "n" },
      status: { phase: "Running" },
    };
    const read = (name: string): string | undefined => find("pods").selectableFields?.[name]?.(pod);
    expect(read("spec.nodeName")).toBe("n");
    expect(read("status.phase")).toBe("Running");
    expect(read("spec.hostNetwork")).toBe("false");
    expect(read("status.podIP")).toBe("");
    expect(read("spec.image")).toBeUndefined();
    expect(find("configmaps").selectableFields).toBeUndefined();
  });

  it("finds the source of an event under both of its names", () => {
    const event = { apiVersion: "v1", kind: "Event", metadata: {}, reportingComponent: "op" };
    expect(find("events").selectableFields?.["source"]?.(event)).toBe("op");
    const renamed = { ...event, regarding: { name: "p" } };
    const fields = find("events", "v1", "events.k8s.io").selectableFields;
    expect(fields?.["regarding.name"]?.(renamed)).toBe("p");
  });
});
