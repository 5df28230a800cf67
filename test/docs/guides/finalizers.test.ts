import { afterAll, expect, it } from "vitest";
import { createManager, findCondition } from "../../../src/index.ts";
import {
  clientFor,
  eventually,
  installOperator,
  silentLogger,
  startControlPlane,
} from "../../../src/testing.ts";
import { Bucket, setUpBucket, type Storage } from "./finalizers.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));

/** A storage in memory, that takes its time and may be away. */
class FakeStorage implements Storage {
  readonly buckets = new Set<string>();
  asked = 0;
  away = false;

  async make(id: string): Promise<void> {
    await Promise.resolve();
    if (this.away) throw new Error("the storage is away");
    this.buckets.add(id);
  }

  async remove(id: string): Promise<boolean> {
    await Promise.resolve();
    if (this.away) throw new Error("the storage is away");
    this.asked++;
    if (this.asked === 1) return false;
    this.buckets.delete(id);
    return true;
  }
}

const storage = new FakeStorage();
const manager = createManager({ config, log: silentLogger });
setUpBucket(manager, storage);
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const key = { namespace: "default", name: "pictures" };
const readiness = async () =>
  findCondition((await client.get(Bucket, key)).status?.conditions, "Ready");

it("keeps the object until its bucket is gone", { timeout: 30_000 }, async () => {
  await client.create(Bucket, { metadata: key, spec: { region: "eu-2" } });
  await eventually(async () => {
    expect((await readiness())?.reason).toBe("Made");
  });
  const { metadata } = await client.get(Bucket, key);
  expect(metadata.finalizers).toEqual(["storage.example.com/bucket"]);
  expect(storage.buckets.size).toBe(1);

  storage.away = true;
  await client.delete(Bucket, key);
  await eventually(async () => {
    expect(await readiness()).toMatchObject({ status: "False", message: "the storage is away" });
  });
  expect(storage.buckets.size).toBe(1);

  storage.away = false;
  await eventually(
    async () => {
      expect(await client.find(Bucket, key)).toBeUndefined();
    },
    { timeoutMs: 20_000 },
  );
  expect(storage.buckets.size).toBe(0);
});
