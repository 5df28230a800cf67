import { ConversionWebhook, createManager, mergePatch, type Content, type Sent } from "tsop";
import {
  checkConversion,
  clientFor,
  installOperator,
  installWebhooks,
  silentLogger,
  startControlPlane,
} from "tsop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/api/v1/gateway.ts";
import { Gateway as GatewayV1alpha1 } from "../src/api/v1alpha1/gateway.ts";
import { GatewayV1alpha1Conversion } from "../src/webhooks/gateway-v1alpha1-conversion.ts";

/** What v1 alone can say: several hosts and routes, paths, and parts of a second. */
const OF_V1_ALONE = ["spec.hosts", "spec.routes", "spec.routes[].path", "spec.timeoutMs"];

/** Takes no host over from v1alpha1. */
@ConversionWebhook(Gateway, GatewayV1alpha1)
class Forgetful extends GatewayV1alpha1Conversion {
  override toHub(old: Sent<GatewayV1alpha1>): Content<Gateway> {
    const gateway = super.toHub(old);
    delete gateway.spec.hosts;
    return gateway;
  }
}

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster);
const conversion = new GatewayV1alpha1Conversion();
// The control plane calls only the webhooks registered here.
const webhooks = await installWebhooks(cluster, [conversion]);
const manager = createManager({ config, webhooks, log: silentLogger });
manager.webhooks.add(conversion);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

describe("the versions of Gateway", { timeout: 60_000 }, () => {
  it("round-trip random objects without losing data", async () => {
    const { objects, kept } = await checkConversion(conversion, { runs: 5000 });
    expect(objects).toBe(10_000); // of each version as many
    // Fields preserved only by the annotation. A field that you meant to convert should not be listed.
    expect(kept).toEqual({ hub: OF_V1_ALONE, spoke: [] });
  });

  it("are told by name of a field that somebody forgets to convert", async () => {
    const forgetful = new Forgetful();
    const { kept } = await checkConversion(forgetful);
    expect(kept).toEqual({ hub: OF_V1_ALONE, spoke: ["spec.host"] });
    // Without the annotation it would be lost.
    const check = checkConversion(forgetful, { lossless: false });
    await expect(check).rejects.toThrow(/Forgetful: .*spec\.host/);
  });

  it("are served side by side, and each keeps what the other cannot say", async () => {
    const key = { namespace: "default", name: "shop" };
    const { spec } = await client.create(Gateway, {
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
    const old = await client.get(GatewayV1alpha1, key);
    expect(old.spec).toEqual({
      host: "shop.example.com",
      service: "pages",
      port: 80,
      timeoutSeconds: 2,
    });
    await client.patch(GatewayV1alpha1, key, mergePatch({ spec: { service: "home" } }));
    const changed = await client.get(Gateway, key);
    const [root, ...others] = spec.routes;
    expect(changed.spec).toEqual({ ...spec, routes: [{ ...root, service: "home" }, ...others] });
    expect(changed.metadata.annotations).toBeUndefined();
  });
});
