import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/kube/object.ts";
import { frozen } from "../../../src/runtime/cache/freeze.ts";
import { fieldOf } from "../../../src/runtime/webhook/field-names.ts";
import { asRead } from "../../support/as-read.ts";

interface Web extends KubeObject {
  spec: {
    size: number;
    none?: null;
    on: boolean;
    ports: { name: string; port: number; tls?: { cert: string }[] }[];
    limits: Record<string, string>;
    tls?: { cert?: string; hosts?: string[] };
  };
}

const web: Web = frozen(
  asRead({
    apiVersion: "example.com/v1",
    kind: "Web",
    metadata: { name: "w", labels: { app: "x", "a/b": "y" } },
    spec: {
      size: 3,
      on: false,
      ports: [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
      ],
      limits: { "example.com/gpu": "1" },
    },
  }),
);

describe("a field", () => {
  it.each<[string, (web: Web) => unknown, string, unknown]>([
    ["a value", (w) => w.spec.size, "spec.size", 3],
    ["false", (w) => w.spec.on, "spec.on", false],
    ["an object", (w) => w.spec.ports[1], "spec.ports[1]", web.spec.ports[1]],
    ["a list", (w) => w.spec.ports, "spec.ports", web.spec.ports],
    ["an item's field", (w) => w.spec.ports[0]?.name, "spec.ports[0].name", "http"],
    ["a missing item's field", (w) => w.spec.ports[7]?.name, "spec.ports[7].name", undefined],
    ["an absent field", (w) => w.spec.tls, "spec.tls", undefined],
    ["a part of an absent field", (w) => w.spec.tls?.hosts?.[2], "spec.tls.hosts[2]", undefined],
    ["a label", (w) => w.metadata.labels?.["app"], "metadata.labels[app]", "x"],
    ["a label with a slash", (w) => w.metadata.labels?.["a/b"], "metadata.labels[a/b]", "y"],
    [
      "an absent annotation",
      (w) => w.metadata.annotations?.["a"],
      "metadata.annotations[a]",
      undefined,
    ],
    [
      "a key of a map",
      (w) => w.spec.limits["example.com/gpu"],
      "spec.limits[example.com/gpu]",
      "1",
    ],
    [
      "an item that is looked for",
      (w) => w.spec.ports.find(({ port }) => port === 443),
      "spec.ports[1]",
      web.spec.ports[1],
    ],
    [
      "its field",
      (w) => w.spec.ports.find(({ port }) => port === 443)?.name,
      "spec.ports[1].name",
      "https",
    ],
    ["the last item", (w) => w.spec.ports.at(-1)?.port, "spec.ports[1].port", 443],
    ["a destructured one", ({ spec: { size } }) => size, "spec.size", 3],
    ["the object", (w) => w, "", web],
  ])("is named by a function: %s", (_, name, path, value) => {
    expect(fieldOf(web, name)).toMatchObject({ path });
    expect(fieldOf(web, name).value).toBe(value);
  });

  it.each([
    ["spec.size", 3],
    ["spec.ports[1].name", "https"],
    ["metadata.labels[a/b]", "y"],
    ["spec.tls.cert", undefined],
    ["spec.toString", undefined],
  ])("is named by its path: %s", (path, value) => {
    expect(fieldOf(web, path)).toEqual({ path, value });
  });

  it.each<[string, (web: Web) => unknown]>([
    ["another value", (w) => w.spec.size + 1],
    ["another object", () => ({})],
    ["nothing", () => undefined],
    ["a number of items", (w) => w.spec.ports.length],
  ])("is not %s", (_, name) => {
    expect(() => fieldOf(web, name)).toThrow("which is not a field of the object");
  });
});
