import { afterAll, expect, it } from "vitest";
import { createManager, mergePatch } from "../../../src/index.ts";
import { Deployment, Event, PodDisruptionBudget } from "../../../src/k8s.ts";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { MAX_UNAVAILABLE, setUpBudgets } from "./built-in-kinds.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));
const manager = createManager({ config, log: silentLogger });
setUpBudgets(manager);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const web = { namespace: "default", name: "web" };
const annotate = async (value: string | null) => {
  const patch = mergePatch({ metadata: { annotations: { [MAX_UNAVAILABLE]: value } } });
  await client.patch(Deployment, web, patch);
  await manager.idle();
};

it("keeps a budget for the Deployments that ask for one", async () => {
  const labels = { app: "web" };
  await client.create(Deployment, {
    metadata: web,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "web", image: "nginx:1.27" }] },
      },
    },
  });
  await manager.idle();
  expect(await client.find(PodDisruptionBudget, web)).toBeUndefined();

  await annotate("25%");
  expect((await client.get(PodDisruptionBudget, web)).spec?.maxUnavailable).toBe("25%");

  await annotate("a few");
  const events = await client.list(Event, { namespace: "default" });
  expect(events.map(({ reason }) => reason)).toContain("BadBudget");

  await annotate(null);
  expect(await client.find(PodDisruptionBudget, web)).toBeUndefined();
});
