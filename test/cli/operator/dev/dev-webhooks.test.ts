/** Requests that wait for the operator of `tsop dev` while it is reloaded. */
import { expect, it } from "vitest";
import { systemClock } from "../../../../src/clock.ts";
import { DevWebhooks } from "../../../../src/cli/operator/dev/dev-webhooks.ts";
import type { ManifestObject } from "../../../../src/kube/object.ts";
import { WEBHOOKS_SERVED } from "../../../../src/runtime/webhook/certificate.ts";
import { emptyFolder } from "../../support/run-cli.ts";

const SERVED = JSON.stringify({ level: 30, time: 0, msg: WEBHOOKS_SERVED });
const configuration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "shop" },
  webhooks: [
    { name: "a.example.com", clientConfig: { service: { namespace: "shop", name: "webhook" } } },
  ],
};

/** The webhooks of a session, and what the control plane was last told of their Service. */
async function session() {
  const routes: Promise<string>[] = [];
  const controlPlane = {
    routeService: (_service: string, address: string | Promise<string> | undefined) => {
      routes.push(Promise.resolve(address ?? ""));
    },
  };
  const webhooks = new DevWebhooks(emptyFolder(), controlPlane, systemClock);
  const objects: ManifestObject[] = [configuration];
  await webhooks.prepare(objects);
  const port = /--webhook-port=(\d+)/.exec(webhooks.args.join(" "))?.[1];
  return { webhooks, routes, address: `127.0.0.1:${port}` };
}

it("they are answered by the operator that comes next, whenever in the reload they came", async () => {
  const { webhooks, routes, address } = await session();
  webhooks.pause(); // The one before is being ended.
  webhooks.pause(); // The next is started.
  webhooks.hear("something else");
  webhooks.hear(SERVED);
  expect(await Promise.all(routes)).toEqual([address, address]);
});

it("they come from this machine only: the operator listens on loopback", async () => {
  const { webhooks } = await session();
  expect(webhooks.env).toMatchObject({ TSOP_WEBHOOK_HOST: "127.0.0.1" });
});

it("they wait again at the next reload, and those before it do not", async () => {
  const { webhooks, routes, address } = await session();
  webhooks.pause();
  webhooks.hear(SERVED);
  webhooks.pause();
  const [before, later] = routes;
  expect(await before).toBe(address);
  let isAnswered = false;
  void later?.then(() => (isAnswered = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  webhooks.hear(SERVED);
  expect(await later).toBe(address);
});
