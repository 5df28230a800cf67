import * as opentelemetry from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { controllerFor, createManager, type Manager } from "../../../src/index.ts";
import { ConfigMap, Secret } from "../../../src/k8s.ts";
import { templateOf } from "../../../src/runtime/tracing/path-template.ts";
import { Tracing } from "../../../src/runtime/tracing/tracing.ts";
import type { Transport, TransportRequest } from "../../../src/runtime/transport/transport.ts";
import {
  clientFor,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { registerMemoryTracing } from "./memory-tracing.ts";

let memory: ReturnType<typeof registerMemoryTracing>;
beforeEach(() => {
  memory = registerMemoryTracing();
});
afterEach(() => {
  memory.end();
});

/** Runs a manager, with what it sent. */
async function run(
  build: (manager: Manager) => void,
  traced = true,
): Promise<readonly TransportRequest[]> {
  const clock = new VirtualClock();
  await using cluster = await startControlPlane({ clock, listen: false, controllers: "off" });
  const inner = inProcess(cluster);
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    server: inner.server,
    clock,
    get isQuiet() {
      return inner.isQuiet;
    },
    request(request) {
      sent.push(request);
      return inner.request(request);
    },
    close: () => {
      inner.close();
    },
  };
  const manager = createManager({
    transport,
    log: silentLogger,
    ...(traced ? { tracing: opentelemetry } : {}),
  });
  build(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const metadata = { namespace: "default", name: "one" };
  await clientFor(cluster).create(ConfigMap, { metadata, data: {} });
  await manager.idle();
  stop.abort();
  await clock.advance(60_000);
  await running;
  return sent;
}

const only =
  (work: (manager: Manager) => Promise<unknown>) =>
  (manager: Manager): void => {
    controllerFor(manager)
      .for(ConfigMap)
      .complete({
        async reconcile({ key }) {
          if (key.name === "one") await work(manager);
        },
      });
  };

const spanOfOne = () => {
  const spans = memory.spans.filter(({ attributes }) => attributes["tsop.key"] === "default/one");
  const [span] = spans;
  if (!span) throw new Error("no span of the reconcile");
  return span;
};

describe("tracing", () => {
  it("makes a span of a reconcile, and one below it of each request, which the server is told of", async () => {
    const sent = await run(
      only(async ({ client }) => {
        const metadata = { namespace: "default", name: "written" };
        await client.apply(Secret, { metadata, stringData: { password: "opensesame" } });
        await client.find(Secret, { namespace: "default", name: "absent" });
      }),
    );
    const span = spanOfOne();
    expect(span).toMatchObject({
      name: "reconcile configmap",
      kind: opentelemetry.SpanKind.INTERNAL,
      parentId: undefined,
      ended: 1,
      status: { code: opentelemetry.SpanStatusCode.UNSET },
      attributes: {
        "tsop.controller": "configmap",
        "tsop.kind": "ConfigMap",
        "tsop.outcome": "success",
        "tsop.failures": 0,
      },
    });
    expect(span.attributes["tsop.causes"]).not.toHaveLength(0);
    const below = memory.spans.filter(({ parentId }) => parentId === span.spanId);
    expect(below).toMatchObject([
      {
        name: "PATCH /api/v1/namespaces/{namespace}/secrets/{name}",
        kind: opentelemetry.SpanKind.CLIENT,
        ended: 1,
        attributes: {
          "http.request.method": "PATCH",
          "url.template": "/api/v1/namespaces/{namespace}/secrets/{name}",
          "http.response.status_code": 201,
          "server.address": "in-process",
          "server.port": 443,
        },
      },
      {
        attributes: { "http.response.status_code": 404, "error.type": "404" },
        status: { code: opentelemetry.SpanStatusCode.ERROR },
      },
    ]);
    const [patch] = sent.filter(({ method }) => method === "PATCH");
    expect(patch?.headers).toMatchObject({
      traceparent: `00-${span.traceId}-${below[0]?.spanId ?? ""}-01`,
    });
    expect(JSON.stringify(memory.spans)).not.toContain("opensesame");
  });

  it("gives a failed reconcile its error, and leaves out the requests of caches", async () => {
    await run(only(() => Promise.reject(new Error("the image is missing"))));
    expect(spanOfOne()).toMatchObject({
      exceptions: ["the image is missing"],
      status: { code: opentelemetry.SpanStatusCode.ERROR, message: "the image is missing" },
      attributes: { "tsop.outcome": "error" },
    });
    expect(memory.spans.every(({ ended }) => ended === 1)).toBe(true);
    expect(memory.spans.map(({ name }) => name)).toEqual(
      memory.spans.map(() => "reconcile configmap"),
    );
  });

  it("is not there when nobody asked for it", async () => {
    const sent = await run(
      only(({ client }) => client.list(Secret)),
      false,
    );
    expect(memory.spans).toEqual([]);
    expect(sent.filter(({ headers }) => headers?.["traceparent"] !== undefined)).toEqual([]);
  });

  it("puts a review below the span that the API server names", () => {
    const tracing = new Tracing(opentelemetry, new VirtualClock());
    const parent = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
    const headers = { traceparent: `00-${parent.traceId}-${parent.spanId}-01` };
    const span = tracing.review("/validate-web", headers);
    span.answered(200);
    tracing.review("/validate-web", {}).answered(500);
    expect(memory.spans).toMatchObject([
      {
        name: "POST /validate-web",
        kind: opentelemetry.SpanKind.SERVER,
        traceId: parent.traceId,
        parentId: parent.spanId,
        attributes: { "http.route": "/validate-web", "http.response.status_code": 200 },
        ended: 1,
      },
      { parentId: undefined, status: { code: opentelemetry.SpanStatusCode.ERROR } },
    ]);
  });

  it.each([
    ["/version", "/version"],
    ["/livez/etcd", "/livez/{path}"],
    ["/api/v1/nodes?limit=5", "/api/v1/nodes"],
    ["/api/v1/namespaces/shop", "/api/v1/namespaces/{name}"],
    ["/api/v1/namespaces/shop/finalize", "/api/v1/namespaces/{name}/finalize"],
    ["/api/v1/namespaces/shop/pods/a/log", "/api/v1/namespaces/{namespace}/pods/{name}/log"],
    [
      "/api/v1/namespaces/shop/pods/a/proxy/secret/path",
      "/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}",
    ],
    ["/apis/apps/v1/deployments", "/apis/apps/v1/deployments"],
    ["/apis/apps", "/apis/apps"],
    [
      "/apis/web.example.com/v1/namespaces/shop/webs/one/status",
      "/apis/web.example.com/v1/namespaces/{namespace}/webs/{name}/status",
    ],
  ])("has no names in the template of %s", (path, template) => {
    expect(templateOf(path)).toBe(template);
  });
});
