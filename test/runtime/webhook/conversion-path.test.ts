/** The path of conversions: written into the CRD, shared by replicas, renewed, and repaired. */
import { describe, expect, it, onTestFinished } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import type { ResourceInfo } from "../../../src/kube/resource.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  ClusterTrust,
  type ClusterTrustParts,
} from "../../../src/runtime/webhook/cluster-trust.ts";
import { type Address, CertificateApi, CRD } from "./certificates/replicas.ts";

const HUB: ResourceInfo = {
  group: "shop.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const SERVICE = { namespace: "shop-system", name: "shop-webhook-service" };
const SECRET = "/api/v1/namespaces/shop-system/secrets/conversion-key.widgets.shop.example.com";
const UNGUESSABLE = /^\/convert\/\d+-[0-9a-f]{32}$/;
const HOUR_MS = 3_600_000;

const definition = (clientConfig: Address): SentObject =>
  ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.shop.example.com" },
    spec: {
      versions: [{ name: "v1", storage: true }, { name: "v1alpha1" }],
      conversion: { strategy: "Webhook", webhook: { clientConfig } },
    },
    status: { storedVersions: ["v1"] },
  }) as unknown as SentObject;

function cluster(clientConfig: Address = { service: SERVICE }): {
  readonly api: CertificateApi;
  readonly clock: VirtualClock;
  readonly lines: string[];
  readonly path: () => string;
  readonly start: (options?: Partial<ClusterTrustParts>) => Promise<ClusterTrust>;
  readonly stop: (trust: ClusterTrust) => void;
} {
  const clock = new VirtualClock();
  const api = new CertificateApi(clock);
  const lines: string[] = [];
  const running = new Map<ClusterTrust, AbortController>();
  onTestFinished(() => {
    for (const ended of running.values()) ended.abort();
  });
  api.put(CRD, definition(clientConfig));
  return {
    api,
    clock,
    lines,
    path() {
      const [{ service, url } = {}] = api.addresses(CRD);
      const { path = "/" } = (service ?? {}) as { path?: string };
      return url === undefined ? path : new URL(url).pathname;
    },
    async start(options = {}) {
      const client = new LiveClient(new RestClient(api, clock), { fieldManager: "shop" });
      const warn = (line: string | object): void => {
        lines.push(typeof line === "string" ? line : "");
      };
      const log = { ...silentLogger, warn };
      const loadCheck = () => Promise.resolve(() => ({ mistakes: () => [] }));
      const parts = { client, clock, log, namespace: "shop-system", hubs: [HUB], loadCheck };
      const trust = new ClusterTrust({ ...parts, ...options });
      const ended = new AbortController();
      running.set(trust, ended);
      void trust.follow(ended.signal);
      await clock.advance(1000);
      return trust;
    },
    stop: (trust) => running.get(trust)?.abort(),
  };
}

const signs = (trust: ClusterTrust, path: string): boolean => trust.trustOf(HUB, path).signs;

describe("the path of conversions", () => {
  it("is unguessable, and all other paths are answered without signatures", async () => {
    const { path, start } = cluster();
    const trust = await start();
    expect(path()).toMatch(UNGUESSABLE);
    expect(signs(trust, path())).toBe(true);
    const [, made = "", mac = ""] = /(\d+)-(.*)/.exec(path()) ?? [];
    for (const guess of [
      "/",
      "/convert",
      "/convert/",
      `/convert/${made}`,
      `/convert/${Number(made) + 1}-${mac}`,
      `/convert/${made}-${"0".repeat(32)}`,
      `${path()}/`,
      `${path()}0`,
    ]) {
      expect([guess, signs(trust, guess)]).toEqual([guess, false]);
    }
  });

  it("is known to every replica before it has read it", async () => {
    const { api, clock, path, start } = cluster();
    const first = await start();
    const before = path();
    await clock.advance(HOUR_MS);
    const second = await start();
    // An error may have shown the path before the second one was started.
    expect(path()).not.toBe(before);
    expect([first, second].map((replica) => signs(replica, path()))).toEqual([true, true]);
    // API servers may lag behind the first one, which answered all the time.
    expect([first, second].map((replica) => signs(replica, before))).toEqual([true, false]);
    await clock.advance(120_000);
    expect([first, second].map((replica) => signs(replica, before))).toEqual([false, false]);
    const written = api.one(CRD)?.metadata.resourceVersion;
    await clock.advance(HOUR_MS);
    expect(api.one(CRD)?.metadata.resourceVersion).toBe(written);
  });

  it("is written once by replicas that start together", async () => {
    const { api, clock, path, start } = cluster();
    const replicas = await Promise.all([start(), start(), start()]);
    await clock.advance(60_000);
    expect(replicas.map((replica) => signs(replica, path()))).toEqual([true, true, true]);
    expect(api.requests.filter((request) => request.startsWith("PATCH")).length).toBeLessThan(4);
    const patched = api.one(CRD)?.metadata.resourceVersion;
    await clock.advance(HOUR_MS);
    expect(api.one(CRD)?.metadata.resourceVersion).toBe(patched);
  });

  it("is repaired soon after an apply without it, and rarely if that is repeated", async () => {
    const { api, clock, lines, path, start } = cluster();
    const trust = await start();
    const before = path();
    await clock.advance(10_000);
    api.put(CRD, definition({ service: SERVICE }));
    expect(signs(trust, path())).toBe(false);
    // A request at the plain path has the CRD read.
    await clock.advance(100);
    expect(path()).toMatch(UNGUESSABLE);
    expect(signs(trust, path())).toBe(true);
    expect(path()).not.toBe(before);
    const repairs = new Set<string>();
    for (let second = 0; second < 1800; second++) {
      if (path() !== "/") {
        repairs.add(path());
        api.put(CRD, definition({ service: SERVICE }));
      }
      signs(trust, path());
      await clock.advance(1000);
    }
    expect(repairs.size).toBeLessThan(10);
    expect(lines.join("\n")).toMatch(/replaced again and again\. Remove `path`/);
  });

  it("does not change all the time where two operators convert the same kind", async () => {
    const url = cluster({ url: "https://127.0.0.1:9443/convert" });
    await url.start();
    await url.start({ namespace: "elsewhere" });
    const paths = new Set<string>();
    for (let minute = 0; minute < 120; minute++) {
      paths.add(url.path());
      await url.clock.advance(60_000);
    }
    expect(paths.size).toBeLessThan(20);
    expect(url.lines.join("\n")).toMatch(/or the other operator that converts this kind/);
  });

  it("is renewed every day, and after a request whose client no longer waited", async () => {
    const { clock, path, start } = cluster();
    const trust = await start();
    const other = await start();
    const first = path();
    trust.unanswered("/convert/guessed");
    await clock.advance(HOUR_MS);
    expect(path()).toBe(first);
    trust.unanswered(first);
    // The error with the path can be read from now on.
    expect(signs(trust, first)).toBe(false);
    await clock.advance(6000);
    const second = path();
    expect(second).not.toBe(first);
    // The other replica learns it from a request, and follows within seconds.
    expect([signs(trust, second), signs(other, second)]).toEqual([true, true]);
    await clock.advance(6000);
    expect([signs(trust, first), signs(other, first)]).toEqual([false, false]);
    trust.unanswered(second);
    await clock.advance(30_000);
    // Not more often, whatever a client causes; nothing is signed meanwhile.
    expect([path(), signs(trust, second)]).toEqual([second, false]);
    await clock.advance(90_000);
    const third = path();
    expect(third).not.toBe(second);
    expect(signs(trust, third)).toBe(true);
    await clock.advance(23 * HOUR_MS);
    expect(path()).toBe(third);
    await clock.advance(2 * HOUR_MS);
    expect(path()).not.toBe(third);
    expect(signs(trust, path())).toBe(true);
  });

  it("stays over restarts by tsop dev, which are frequent", async () => {
    const { clock, path, start, stop } = cluster();
    stop(await start({ keepsPath: true }));
    const before = path();
    await clock.advance(HOUR_MS);
    const next = await start({ keepsPath: true });
    expect(path()).toBe(before);
    expect(signs(next, before)).toBe(true);
  });

  it("follows a new key, and the old one counts where it was known", async () => {
    const { api, clock, path, start, stop } = cluster();
    const trust = await start();
    const before = path();
    stop(trust);
    api.remove(SECRET);
    await clock.advance(HOUR_MS);
    const next = await start();
    expect(path()).not.toBe(before);
    expect(signs(next, path())).toBe(true);
    expect(signs(next, before)).toBe(false);
  });

  it("is written into a URL, and not into the address of another operator", async () => {
    const url = cluster({ url: "https://127.0.0.1:9443/convert" });
    const trust = await url.start();
    expect(url.path()).toMatch(UNGUESSABLE);
    expect(url.api.addresses(CRD)[0]?.url).toBe(`https://127.0.0.1:9443${url.path()}`);
    expect(signs(trust, url.path())).toBe(true);
    for (const service of [
      { ...SERVICE, namespace: "other" },
      { ...SERVICE, name: "other" },
    ]) {
      const { lines, path, start } = cluster({ service });
      const other = await start({ service: SERVICE.name });
      other.checkReady();
      expect(path()).toBe("/");
      expect(lines.join()).toMatch(/converted by the Service .*, which is not this operator's/);
    }
  });

  it("needs `patch`, without which objects are converted and nothing is signed", async () => {
    const { api, clock, lines, path, start } = cluster();
    api.refuse = (method) => (method === "PATCH" ? 403 : undefined);
    const trust = await start();
    trust.checkReady();
    await clock.advance(HOUR_MS);
    expect(signs(trust, path())).toBe(false);
    expect(lines).toEqual([
      expect.stringMatching(/not allowed to patch customresourcedefinitions.*apply the role/),
    ]);
  });
});
