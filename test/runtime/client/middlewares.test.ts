import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { failure } from "../../../src/kube/status.ts";
import { LiveClient, writeDefaults } from "../../../src/runtime/client/live-client.ts";
import { RestClient, type ClientMiddleware } from "../../../src/runtime/rest/rest-client.ts";
import { refusalAdvice } from "../../../src/runtime/rest/rights-advice.ts";
import { informersOf } from "../../../src/runtime/cache/cache.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { ScriptedTransport } from "../../../src/runtime/transport/scripted-transport.ts";

const CONFIG_MAPS = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
const KEY = { namespace: "d", name: "one" };

describe("client middlewares", () => {
  it("see requests in their order and answers in the other, and may refuse", async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    const watching =
      (name: string): ClientMiddleware =>
      async (request, next) => {
        seen.push(`${name} > ${request.method}`);
        const answer = await next(request);
        seen.push(`${name} <`);
        return answer;
      };
    const readOnly: ClientMiddleware = (request, next) =>
      request.method === "GET"
        ? next(request)
        : Promise.reject(failure(403, "Forbidden", "read only"));
    const middlewares = [watching("first"), watching("second"), readOnly];
    const rest = new RestClient(new MemoryApi(clock), clock, { middlewares });
    const client = new LiveClient(rest, { fieldManager: "test" });
    expect(await client.list(CONFIG_MAPS)).toEqual([]);
    expect(seen).toEqual(["first > GET", "second > GET", "second <", "first <"]);
    await expect(client.delete(CONFIG_MAPS, KEY)).rejects.toThrow("read only");
  });

  it("a client that only tries sends each write as a dry run, and validates as told", async () => {
    const clock = new VirtualClock();
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: KEY };
    const transport = new ScriptedTransport(clock, [{ body }, { body }]);
    const defaults = writeDefaults("test", { dryRun: true, fieldValidation: "Strict" });
    const client = new LiveClient(new RestClient(transport, clock), defaults);
    await client.create(CONFIG_MAPS, { metadata: KEY });
    await client.delete(CONFIG_MAPS, KEY);
    expect(transport.seen[0]?.query).toEqual({
      fieldManager: "test",
      dryRun: "All",
      fieldValidation: "Strict",
    });
    expect(transport.seen[1]?.body).toMatchObject({ dryRun: ["All"] });
  });
});

describe("refusalAdvice", () => {
  it("names the rule that is missing, from what the server says", () => {
    const message =
      'deployments.apps is forbidden: User "u" cannot patch resource "deployments" in API group "apps" in the namespace "d"';
    expect(refusalAdvice(failure(403, "Forbidden", message))).toContain(
      '@Rbac({ groups: ["apps"], resources: ["deployments"], verbs: ["patch"] })',
    );
    expect(refusalAdvice(failure(403, "Forbidden", "a webhook says no"))).toBeUndefined();
    expect(refusalAdvice(failure(409, "Conflict", message))).toBeUndefined();
  });
});

describe("cache.stats", () => {
  it("says how much each informer holds", async () => {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    const same = "x".repeat(5000);
    for (let index = 0; index < 10; index++) {
      const page = String(index).repeat(5000);
      const name = `page-${index}`;
      const metadata = { namespace: "d", name };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { page, same } };
      api.put(`/api/v1/namespaces/d/configmaps/${name}`, object);
    }
    const manager = createManager({ clock, transport: api, log: silentLogger });
    informersOf(manager.cache).informersFor(CONFIG_MAPS);
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    await clock.advance(100);
    const [stats] = manager.cache.stats();
    expect(stats).toMatchObject({
      resource: "configmaps",
      objects: 10,
      resourceVersion: String(api.version),
    });
    // Ten pages, and what is the same in all of them once.
    expect(stats?.sizeBytes).toBeGreaterThan(55_000);
    expect(stats?.sizeBytes).toBeLessThan(60_000);
    stop.abort();
    await clock.advance(60_000);
    await running;
  });
});
