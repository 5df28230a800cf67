import { describe, expect, it } from "vitest";
import { builtInResources } from "../../../src/controlplane/builtin/resources.ts";
import { groupsOf } from "../../../src/controlplane/discovery/versions.ts";
import { OpenApi } from "../../../src/controlplane/openapi/openapi.ts";
import { swaggerOf } from "../../../src/controlplane/openapi/swagger.ts";

const builtIn = builtInResources();
const document = JSON.parse(JSON.stringify(swaggerOf(groupsOf(builtIn), "v1.36.3"))) as {
  paths: Record<string, Record<string, { parameters?: object[]; produces?: string[] }>>;
  definitions: Record<string, { properties?: Record<string, object>; type?: string }>;
  parameters: Record<string, object>;
};

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    name === "$ref" && typeof field === "string" ? [field] : referencesIn(field),
  );
}

describe("The document of OpenAPI v2", () => {
  it("defines everything that it refers to", () => {
    const referred = new Set(referencesIn(document));
    const known = new Set([
      ...Object.keys(document.definitions).map((name) => `#/definitions/${name}`),
      ...Object.keys(document.parameters).map((name) => `#/parameters/${name}`),
    ]);
    expect([...referred].filter((reference) => !known.has(reference))).toEqual([]);
  });

  it("has references in place of what version 3 wraps, and no defaults", () => {
    const spec = document.definitions["io.k8s.api.apps.v1.DeploymentSpec"]?.properties;
    expect(spec?.["template"]).toMatchObject({
      $ref: "#/definitions/io.k8s.api.core.v1.PodTemplateSpec",
    });
    expect(spec?.["strategy"]).toMatchObject({ "x-kubernetes-patch-strategy": "retainKeys" });
    const port = document.definitions["io.k8s.api.core.v1.ContainerPort"]?.properties;
    expect(port?.["protocol"]).toMatchObject({ type: "string", enum: ["SCTP", "TCP", "UDP"] });
    expect(port?.["protocol"]).not.toHaveProperty("default");
  });

  it("says what an operation takes and answers in one list each", () => {
    const { get } = document.paths["/api/v1/namespaces/{namespace}/configmaps/{name}"] ?? {};
    expect(get?.produces).toEqual([
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
    ]);
  });

  it("is there in protobuf, too, which clients of Go ask for", () => {
    const ask = (accept: string): ReturnType<OpenApi["answer"]> =>
      new OpenApi("v1.36.3").answer({ path: "/openapi/v2", accept, nowMs: 0 }, builtIn);
    const { status, headers, body } = ask(
      "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    );
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe(
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    );
    // The first field is the version of the format.
    expect(Buffer.from(body).toString("latin1", 0, 5)).toBe("\n\u00032.0");
    expect(ask("application/json, */*").headers["content-type"]).toBe("application/json");
    expect(ask("text/html").status).toBe(406);
  });
});
