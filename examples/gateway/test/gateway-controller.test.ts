import { createClient, createManager, findCondition, mergePatch } from "tsop";
import { ConfigMap, Deployment, Service } from "tsop/k8s";
import {
  clientFor,
  eventually,
  installOperator,
  installWebhooks,
  silentLogger,
  startControlPlane,
} from "tsop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/api/v1/gateway.ts";
import { Gateway as GatewayV1alpha1 } from "../src/api/v1alpha1/gateway.ts";
import { setUpGateway } from "../src/controllers/gateway-controller.ts";
import { GatewayDefaulter } from "../src/webhooks/gateway-defaulter.ts";
import { GatewayV1alpha1Conversion } from "../src/webhooks/gateway-v1alpha1-conversion.ts";
import { GatewayValidator } from "../src/webhooks/gateway-validator.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
// The operator may do what its @Rbac say, and no more.
const config = await installOperator(cluster);
const handlers = [
  new GatewayDefaulter(),
  new GatewayValidator(createClient(config)),
  new GatewayV1alpha1Conversion(),
];
const webhooks = await installWebhooks(cluster, handlers);
const manager = createManager({ config, webhooks, log: silentLogger });
for (const handler of handlers) manager.webhooks.add(handler);
setUpGateway(manager);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const namespace = "default";

// Longer than the `eventually` timeout, so that a failure shows its last error.
describe("Gateway", { timeout: 20_000 }, () => {
  it("serves its routes under its hosts", async () => {
    const key = { namespace, name: "shop" };
    await client.create(Gateway, {
      metadata: key,
      spec: {
        hosts: ["shop.example.com", "www.shop.example.com"],
        routes: [
          { path: "/", service: "pages", port: 80 },
          { path: "/api/", service: "orders", port: 8080 },
        ],
        timeoutMs: 1500,
      },
    });
    await eventually(async () => {
      const { metadata, status } = await client.get(Gateway, key);
      expect(findCondition(status?.conditions, "Ready")?.status).toBe("True");
      expect(status?.observedGeneration).toBe(metadata.generation);
    });
    const { data } = await client.get(ConfigMap, key);
    expect(data?.["gateway.conf"]).toBe(`server {
  listen 80;
  server_name shop.example.com www.shop.example.com;
  proxy_read_timeout 1500ms;
  location / { proxy_pass http://pages.default.svc:80; }
  location /api/ { proxy_pass http://orders.default.svc:8080; }
}
`);
  });

  it("is served in v1alpha1 as in v1", async () => {
    const key = { namespace, name: "blog" };
    await client.create(GatewayV1alpha1, { metadata: key, spec: { service: "blog", port: 80 } });
    await eventually(async () => {
      const { status } = await client.get(GatewayV1alpha1, key);
      expect(findCondition(status?.conditions, "Ready")?.status).toBe("True");
    });
    const { data } = await client.get(ConfigMap, key);
    expect(data?.["gateway.conf"]).toContain("server_name blog.default.example.com;");
    expect(data?.["gateway.conf"]).toContain("proxy_read_timeout 30000ms;");
  });

  it("rolls its pods when a route changes", async () => {
    const key = { namespace, name: "rolled" };
    const routes = [{ path: "/", service: "one", port: 80 }];
    await client.create(Gateway, { metadata: key, spec: { routes } });
    const before = await eventually(() => client.get(Deployment, key));
    await client.patch(
      Gateway,
      key,
      mergePatch({ spec: { routes: [{ path: "/", service: "two", port: 80 }] } }),
    );
    await eventually(async () => {
      const after = await client.get(Deployment, key);
      expect(after.spec?.template.metadata).not.toEqual(before.spec?.template.metadata);
    });
  });

  it("leaves nothing behind when it is deleted", async () => {
    const key = { namespace, name: "gone" };
    const routes = [{ path: "/", service: "gone", port: 80 }];
    await client.create(Gateway, { metadata: key, spec: { routes } });
    await eventually(() => client.get(Service, key));
    await client.delete(Gateway, key);
    await eventually(async () => {
      for (const kind of [ConfigMap, Deployment, Service]) {
        expect(await client.find<ConfigMap | Deployment | Service>(kind, key)).toBeUndefined();
      }
    });
  });
});
