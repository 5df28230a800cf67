import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { ClientMiddleware, RestRequest } from "../../../src/runtime/rest/rest-client.ts";
import { createManager } from "../../../src/runtime/manager/create-manager.ts";
import type { ManagerOptions } from "../../../src/runtime/manager/manager-options.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";

function scripted(replies: readonly Reply[], options: ManagerOptions = {}) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, replies);
  const manager = createManager({ clock, transport, log: silentLogger, ...options });
  return { manager, client: manager.client, transport };
}

describe("a raw request", () => {
  it("gives the answer as it came: JSON with long numbers, and text", async () => {
    const { client, transport } = scripted([
      { body: '{"count":9007199254740993}' },
      { body: "ok", headers: { "Content-Type": "text/plain" } },
    ]);
    const query = { verbose: true, exclude: ["a b", "c"], absent: undefined };
    const first = await client.raw({ path: "/apis/metrics.k8s.io/v1beta1/nodes", query });
    expect(first.json()).toEqual({ count: 9007199254740993n });
    const second = await client.raw({ path: "/readyz" });
    expect([second.status, second.text(), second.headers["content-type"]]).toEqual([
      200,
      "ok",
      "text/plain",
    ]);
    expect(transport.seen[0]?.query).toEqual({ verbose: "true", exclude: "c" });
  });

  it("that the server refuses is a StatusError, and goes through metrics and middlewares", async () => {
    const passed: RestRequest[] = [];
    const look: ClientMiddleware = (request, next) => {
      passed.push(request);
      return next(request);
    };
    const { client, manager } = scripted([{ status: 404, body: "404 page not found" }], {
      middlewares: [look],
    });
    const path = "/apis/none.io";
    await expect(client.raw({ path })).rejects.toMatchObject({ code: 404, reason: "NotFound" });
    expect(passed.map((request) => request.path)).toEqual([path]);
    const metrics = await manager.metrics.registry.metrics();
    expect(metrics).toContain('rest_client_requests_total{code="404",method="GET"');
  });

  it.each(["version", "/a/../b", "/a/%2E%2e/b", "/a?b=c", "/a#b", "/.", ""])(
    "of the path %j is refused",
    async (path) => {
      const { client, transport } = scripted([]);
      await expect(client.raw({ path })).rejects.toMatchObject({ code: "bad-raw-path" });
      expect(transport.seen).toEqual([]);
    },
  );

  it("sends a text as it is, with its type and headers", async () => {
    const { client, transport } = scripted([{ body: {} }, { body: {} }]);
    const path = "/api/v1/namespaces/d/configmaps/a";
    await client.raw({
      method: "PATCH",
      path,
      body: '{"a":1}',
      contentType: "application/merge-patch+json",
    });
    await client.raw({ method: "POST", path, body: { b: 2n } });
    expect(transport.seen.map(({ body }) => body)).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it("of a client that only tries is a dry run where there is such a thing, and refused elsewhere", async () => {
    const { client, transport } = scripted(Array(4).fill({ body: {} }), { dryRun: true });
    const path = "/api/v1/namespaces/d/configmaps/a";
    await client.raw({ path });
    await client.raw({ method: "PUT", path, body: {} });
    await client.raw({ method: "DELETE", path });
    await client.raw({ method: "DELETE", path, body: { gracePeriodSeconds: 0 } });
    expect(transport.seen.map(({ query }) => query["dryRun"])).toEqual([
      undefined,
      "All",
      "All",
      undefined,
    ]);
    expect(transport.seen[3]?.body).toEqual({ gracePeriodSeconds: 0, dryRun: ["All"] });
    const impossible = { code: "dry-run-impossible" };
    for (const request of [
      { method: "POST", path: "/api/v1/namespaces/d/services/a/proxy/do" },
      { method: "POST", path: "/api/v1/namespaces/d/pods/a/exec" },
      { method: "DELETE", path, body: "gracePeriodSeconds: 0" },
      { method: "POST", path: "/elsewhere" },
    ] as const) {
      await expect(client.raw(request)).rejects.toMatchObject(impossible);
    }
    expect(transport.seen).toHaveLength(4);
  });
});
