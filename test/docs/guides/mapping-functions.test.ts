import { afterAll, expect, it } from "vitest";
import { createManager, mergePatch } from "../../../src/index.ts";
import { ConfigMap, Secret } from "../../../src/k8s.ts";
import {
  clientFor,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { Site, setUpSite } from "./mapping-functions.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));
const manager = createManager({ config, log: silentLogger });
setUpSite(manager);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const home = { namespace: "default", name: "home" };
const password = { namespace: "default", name: "password" };
const hash = async () => (await client.get(ConfigMap, home)).data?.["hash"];

it("follows the Secret that a Site names", async () => {
  await client.create(Site, { metadata: home, spec: { secretName: "password" } });
  await manager.idle();
  expect(await hash()).toBe("none");

  await client.create(Secret, { metadata: password, stringData: { value: "one" } });
  await manager.idle();
  const first = await hash();
  expect(first).not.toBe("none");

  await client.patch(Secret, password, mergePatch({ stringData: { value: "two" } }));
  await manager.idle();
  expect(await hash()).not.toBe(first);

  await client.delete(Secret, password);
  await manager.idle();
  expect(await hash()).toBe("none");
});
