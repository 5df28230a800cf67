import { createClient, createManager, mergePatch } from "tsop";
import {
  clientFor,
  installOperator,
  installWebhooks,
  silentLogger,
  startControlPlane,
} from "tsop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { Gateway } from "../src/api/v1/gateway.ts";
import { GatewayValidator } from "../src/webhooks/gateway-validator.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster);
// It reads with the operator's rights.
const validator = new GatewayValidator(createClient(config));
const webhooks = await installWebhooks(cluster, [validator]);
const manager = createManager({ config, webhooks, log: silentLogger });
manager.webhooks.add(validator);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const routes = [{ path: "/", service: "pages", port: 80 }];
const create = (name: string, ...hosts: string[]): Promise<Gateway> =>
  client.create(Gateway, { metadata: { namespace: "default", name }, spec: { hosts, routes } });

describe("a host", { timeout: 20_000 }, () => {
  it("is served by one Gateway only", async () => {
    await create("first", "a.example.com", "b.example.com");
    await expect(create("second", "c.example.com", "b.example.com")).rejects.toThrow(
      'spec.hosts[1]: Invalid value: "b.example.com": is served by default/first',
    );
  });

  it("may not be taken later either", async () => {
    await create("third", "d.example.com");
    await create("fourth", "e.example.com");
    const key = { namespace: "default", name: "fourth" };
    const taken = mergePatch({ spec: { hosts: ["e.example.com", "d.example.com"] } });
    await expect(client.patch(Gateway, key, taken)).rejects.toThrow(
      'spec.hosts[1]: Invalid value: "d.example.com": is served by default/third',
    );
  });

  it("does not stand in the way of other changes of its Gateway", async () => {
    await create("fifth", "f.example.com");
    const key = { namespace: "default", name: "fifth" };
    const { spec } = await client.patch(Gateway, key, mergePatch({ spec: { timeoutMs: 10 } }));
    expect(spec).toMatchObject({ hosts: ["f.example.com"], timeoutMs: 10 });
  });
});
