import { createManager } from "tsop";
import {
  clientFor,
  installOperator,
  installWebhooks,
  silentLogger,
  startControlPlane,
} from "tsop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/api/v1/gateway.ts";
import { Gateway as GatewayV1alpha1 } from "../src/api/v1alpha1/gateway.ts";
import { GatewayDefaulter } from "../src/webhooks/gateway-defaulter.ts";
import { GatewayV1alpha1Conversion } from "../src/webhooks/gateway-v1alpha1-conversion.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster);
const handlers = [new GatewayDefaulter(), new GatewayV1alpha1Conversion()];
// The control plane calls only the webhooks registered here.
const webhooks = await installWebhooks(cluster, handlers);
const manager = createManager({ config, webhooks, log: silentLogger });
for (const handler of handlers) manager.webhooks.add(handler);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const routes = [{ path: "/", service: "blog", port: 80 }];

describe("the host of a Gateway", { timeout: 20_000 }, () => {
  it("is made of its name and its namespace", async () => {
    const { spec } = await client.create(Gateway, {
      metadata: { namespace: "default", name: "blog" },
      spec: { routes },
    });
    expect(spec.hosts).toEqual(["blog.default.example.com"]);
  });

  it("is left alone where the user says one", async () => {
    const { spec } = await client.create(Gateway, {
      metadata: { namespace: "default", name: "named" },
      spec: { hosts: ["blog.example.org"], routes },
    });
    expect(spec.hosts).toEqual(["blog.example.org"]);
  });

  it("is there in v1alpha1 too", async () => {
    const { spec } = await client.create(GatewayV1alpha1, {
      metadata: { namespace: "default", name: "old" },
      spec: { service: "blog", port: 80 },
    });
    expect(spec).toMatchObject({ host: "old.default.example.com", timeoutSeconds: 30 });
  });
});
