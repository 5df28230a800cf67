import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import type { ResourceInfo } from "../../../src/kube/resource.ts";
import type { LoadContentCheck } from "../../../src/kube/webhooks/webhook-marks.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { ClusterTrust, conversionAccess } from "../../../src/runtime/webhook/cluster-trust.ts";
import { CertificateApi } from "./certificates/replicas.ts";

const HUB: ResourceInfo = {
  group: "shop.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const NAME = "widgets.shop.example.com";
const SECRETS = "/api/v1/namespaces/shop-system/secrets";
const SECRET = `${SECRETS}/conversion-key.${NAME}`;
const CRD = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;

const definition = (stored: readonly string[]): SentObject =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: NAME },
    spec: {
      versions: [
        {
          name: "v1",
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { size: { type: "integer", maximum: 5 } } },
              },
            },
          },
        },
        { name: "v1alpha1" },
      ],
    },
    status: { storedVersions: stored },
  }) as unknown as SentObject;

function cluster(): {
  api: CertificateApi;
  clock: VirtualClock;
  lines: string[];
  readonly start: () => ClusterTrust;
} {
  const clock = new VirtualClock();
  const api = new CertificateApi(clock);
  const lines: string[] = [];
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  return {
    api,
    clock,
    lines,
    start: () => {
      const client = new LiveClient(new RestClient(api, clock), { fieldManager: "shop" });
      const warn = (line: string | object): void => {
        lines.push(typeof line === "string" ? line : "");
      };
      const log = { ...silentLogger, warn };
      const parts = { client, clock, log, namespace: "shop-system", hubs: [HUB, HUB], loadCheck };
      const trust = new ClusterTrust(parts);
      void trust.follow(ended.signal);
      return trust;
    },
  };
}

const loadCheck: LoadContentCheck = async () => {
  const { ContentCheck } = await import("../../../src/kube/rules/content-check.ts");
  return (schema) => new ContentCheck(schema);
};

const keysOf = (trust: ClusterTrust): string[] =>
  trust.trustOf(HUB, "/convert").keys.map((key) => key.toString("hex"));

describe("what conversions trust", () => {
  it("is one key for all replicas, which the first of them makes, and the definition", async () => {
    const { api, clock, start } = cluster();
    api.put(CRD, definition(["v1"]));
    const replicas = [start(), start(), start()];
    await clock.advance(10_000);
    for (const replica of replicas) await replica.untilKnown();
    const [key, ...others] = replicas.map(keysOf);
    expect(others).toEqual([key, key]);
    expect(api.objects(SECRETS)).toMatchObject([
      {
        metadata: {
          name: `conversion-key.${NAME}`,
          labels: { "app.kubernetes.io/managed-by": "tsop" },
        },
        immutable: true,
      },
    ]);
    const known = replicas[0]?.trustOf(HUB, "/convert").definition;
    expect([known?.storage, known?.stored]).toEqual(["v1", ["v1"]]);
    expect([known?.hasStatus("v1"), known?.hasStatus("v1alpha1")]).toEqual([true, false]);
    const widget = (size: number): SentObject =>
      ({
        apiVersion: "shop.example.com/v1",
        kind: "Widget",
        metadata: {},
        spec: { size },
      }) as never;
    expect(known?.mistakes(widget(5))).toEqual([]);
    expect(known?.mistakes(widget(6))).toHaveLength(1);
  });

  it("follows the definition, and a Secret that was deleted or replaced", async () => {
    const { api, clock, start } = cluster();
    api.put(CRD, definition(["v1alpha1", "v1"]));
    const trust = start();
    await clock.advance(10_000);
    await trust.untilKnown();
    const before = keysOf(trust);
    api.remove(SECRET);
    api.put(CRD, definition(["v1"]));
    await clock.advance(60_000);
    expect(keysOf(trust)).toEqual(before);
    expect(trust.trustOf(HUB, "/convert").definition.stored).toEqual(["v1"]);
    const [secret] = api.objects(SECRETS) as unknown as { data: { key: string } }[];
    expect(Buffer.from(secret?.data.key ?? "", "base64").toString("hex")).toBe(before[0]);
    const key = Buffer.alloc(32, 7).toString("base64");
    api.put(SECRET, { ...secret, data: { key } } as unknown as SentObject);
    await clock.advance(60_000);
    // What was signed before is still known.
    expect(keysOf(trust)).toEqual([Buffer.alloc(32, 7).toString("hex"), ...before]);
  });

  it("is waited for, with the reason in /readyz", async () => {
    const { api, clock, lines, start } = cluster();
    const refused = new Map([[`POST ${SECRETS}`, 403]]);
    api.refuse = (method, path) => refused.get(`${method} ${path}`);
    const trust = start();
    const known: string[] = [];
    const waiting = trust.untilKnown().then(() => known.push("known"));
    await clock.advance(10_000);
    expect(() => trust.checkReady()).toThrow(/Secret shop-system\/conversion-key\..* could not be/);
    expect(() => trust.checkReady()).toThrow(`${NAME} does not exist. Run \`tsop deploy\`.`);
    expect(lines).toHaveLength(2);
    api.put(CRD, definition(["v1"]));
    refused.set(`GET ${CRD}`, 403);
    await clock.advance(60_000);
    expect(() => trust.checkReady()).toThrow(
      /not allowed to get customresourcedefinitions\.apiextensions\.k8s\.io .* apply the roles/,
    );
    refused.clear();
    expect(known).toEqual([]);
    await clock.advance(60_000);
    await waiting;
    trust.checkReady();
  });

  it("is not waited for by requests that were given up", async () => {
    const { api, clock, start } = cluster();
    const trust = start();
    const gone = new AbortController();
    const waits = [trust.untilKnown(gone.signal), trust.untilKnown()];
    expect(trust.waiting).toBe(2);
    gone.abort();
    await expect(waits[0]).rejects.toThrow(/abort/);
    await expect(trust.untilKnown(gone.signal)).rejects.toThrow(/abort/);
    expect(trust.waiting).toBe(1);
    api.put(CRD, definition(["v1"]));
    await clock.advance(60_000);
    await waits[1];
    expect(trust.waiting).toBe(0);
  });

  it("is no Secret of somebody else", async () => {
    const { api, clock, start } = cluster();
    api.put(CRD, definition(["v1"]));
    api.put(SECRET, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `conversion-key.${NAME}`, namespace: "shop-system" },
      data: { key: Buffer.alloc(32).toString("base64") },
    } as unknown as SentObject);
    const trust = start();
    await clock.advance(10_000);
    expect(() => trust.checkReady()).toThrow(/is not the operator's: it has no label .* Delete it/);
  });

  it("is a key of this process where the namespace does not exist", async () => {
    const { api, clock, lines, start } = cluster();
    api.put(CRD, definition(["v1"]));
    api.refuse = (method) => (method === "POST" ? 404 : undefined);
    const trust = start();
    await clock.advance(100_000);
    trust.checkReady();
    expect(keysOf(trust)).toHaveLength(1);
    expect(lines).toEqual([
      expect.stringMatching(/namespace shop-system does not exist, so the key .* is not stored/),
    ]);
  });

  it("needs these rights", () => {
    expect(conversionAccess([], "a")).toEqual([]);
    expect(
      conversionAccess([HUB, HUB], "a").map(({ resource, name, verbs, namespace }) =>
        [namespace, resource.plural, name, ...verbs].filter(Boolean).join(" "),
      ),
    ).toEqual([
      "a secrets create",
      `a secrets conversion-key.${NAME} get`,
      `customresourcedefinitions ${NAME} get`,
    ]);
  });
});
