import { afterAll, expect, it } from "vitest";
import { createManager, findCondition, statusOf } from "../../../src/index.ts";
import {
  clientFor,
  eventually,
  installOperator,
  silentLogger,
  startControlPlane,
} from "../../../src/testing.ts";
import { Page, setUpPage } from "./status.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));
const manager = createManager({ config, log: silentLogger });
setUpPage(manager);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

it("says what kubectl, Flux and Argo CD understand", { timeout: 30_000 }, async () => {
  const key = { namespace: "default", name: "home" };
  await client.create(Page, { metadata: key, spec: { html: "" } });
  await eventually(async () => {
    const page = await client.get(Page, key);
    expect(statusOf(page, Date.now())).toMatchObject({ status: "Failed", reason: "Empty" });
  });
  await client.apply(Page, { metadata: key, spec: { html: "<h1>Home</h1>" } });
  await eventually(async () => {
    const page = await client.get(Page, key);
    expect(statusOf(page, Date.now()).status).toBe("Current");
    expect(findCondition(page.status?.conditions, "Ready")?.observedGeneration).toBe(2);
  });
});
