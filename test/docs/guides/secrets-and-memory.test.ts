import { afterAll, expect, it } from "vitest";
import { controllerFor, createManager, metadataOf, type KindCache } from "../../../src/index.ts";
import { Secret } from "../../../src/k8s.ts";
import {
  clientFor,
  inProcess,
  installOperator,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../../src/testing.ts";
import { keysOfSecrets, Login, ownSecrets, setUpLogin } from "./secrets-and-memory.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane({ clock: new VirtualClock(), listen: false });
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));
const namespace = "default";

// 200 Secrets of 6 kB, each with values of its own; 10 of them have the label.
for (let number = 0; number < 200; number++) {
  const labels = number < 10 ? { "app.kubernetes.io/managed-by": "login-operator" } : {};
  const password = `${number} `.repeat(1500).slice(0, 4500);
  const stringData = { username: `user-${number}`, password };
  await client.create(Secret, { metadata: { namespace, name: `s-${number}`, labels }, stringData });
}

afterAll(() => cluster.stop());

it("notices a change of a Secret whose value it does not keep", async () => {
  const manager = createManager({ config, log: silentLogger });
  setUpLogin(manager);
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  const login = { namespace, name: "anna" };
  await client.create(Login, { metadata: login, spec: { secretName: "s-0" } });
  await manager.idle();
  const before = (await client.get(Login, login)).status?.passwordHash;
  expect(before).toMatch(/^\w+$/);
  await client.apply(Secret, {
    metadata: { namespace, name: "s-0" },
    stringData: { password: "new" },
  });
  await manager.idle();
  expect((await client.get(Login, login)).status?.passwordHash).not.toBe(before);
  stop.abort();
  await running;
});

/** What the Secrets take in the memory of an operator that watches them in this way. */
async function bytesOf(watch: { kinds?: KindCache[]; onlyMetadata?: boolean }): Promise<number> {
  const { kinds = [], onlyMetadata = false } = watch;
  const transport = inProcess(cluster);
  const manager = createManager({ transport, log: silentLogger, cache: { kinds } });
  const builder = controllerFor(manager).named("memory");
  if (onlyMetadata) builder.watches(metadataOf(Secret), { map: () => [] });
  else builder.watches(Secret, { map: () => [] });
  builder.complete({ reconcile: () => Promise.resolve() });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await manager.idle();
  const [stats] = manager.cache.stats();
  stop.abort();
  await running;
  return stats?.sizeBytes ?? 0;
}

it("needs a small part of the memory", async () => {
  expect(await bytesOf({})).toBeGreaterThan(1_200_000);
  expect(await bytesOf({ kinds: [keysOfSecrets] })).toBeLessThan(45_000);
  expect(await bytesOf({ onlyMetadata: true })).toBeLessThan(45_000);
  expect(await bytesOf({ kinds: [ownSecrets] })).toBeLessThan(45_000);
});
