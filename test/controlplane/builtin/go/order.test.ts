import { describe, expect, it } from "vitest";
import { inGoOrder } from "../../../../src/controlplane/builtin/go/order.ts";

describe("inGoOrder", () => {
  it("brings fields into the order of their declaration, and the keys of maps into that of the alphabet", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      spec: { nodeName: "n", containers: [{ image: "i", name: "c" }] },
      metadata: { labels: { b: "1", a: "2" }, uid: "u", name: "p" },
    };
    expect(JSON.stringify(inGoOrder(pod))).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"u","labels":{"a":"2","b":"1"}},' +
        '"spec":{"containers":[{"name":"c","image":"i"}],"nodeName":"n"}}',
    );
  });

  it("follows schemas of custom resources to any depth", () => {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "d" },
      spec: {
        versions: [
          {
            schema: {
              openAPIV3Schema: { properties: { b: { type: "object" }, a: {} }, type: "object" },
            },
            name: "v1",
          },
        ],
      },
    };
    expect(JSON.stringify(inGoOrder(definition))).toContain(
      '{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{},"b":{"type":"object"}}}}}',
    );
  });

  it("keeps what it does not know at the end", () => {
    const unknown = { apiVersion: "x/v1", kind: "X", metadata: {}, b: 1, a: 2 };
    expect(Object.keys(inGoOrder(unknown))).toEqual(["kind", "apiVersion", "metadata", "b", "a"]);
  });
});
