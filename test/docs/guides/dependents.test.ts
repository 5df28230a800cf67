import { afterAll, expect, it } from "vitest";
import { createManager } from "../../../src/index.ts";
import { ConfigMap, Job } from "../../../src/k8s.ts";
import {
  clientFor,
  eventually,
  installOperator,
  silentLogger,
  startControlPlane,
} from "../../../src/testing.ts";
import { Report, setUpReport } from "./dependents.ts";
import { manifestsOf } from "./support.ts";

const cluster = await startControlPlane();
const client = clientFor(cluster);
const config = await installOperator(cluster, await manifestsOf(import.meta.url));

const known = new Set<string>();
let resolved = false;
const manager = createManager({ config, log: silentLogger });
setUpReport(manager, {
  ensure: (name) => {
    known.add(name);
    return Promise.resolve({ resolved });
  },
  remove: (name) => {
    known.delete(name);
    return Promise.resolve();
  },
});
const stop = new AbortController();
const running = manager.start(stop.signal);

afterAll(async () => {
  stop.abort();
  await running;
  await cluster.stop();
});

const key = { namespace: "default", name: "sales" };
const within = <T>(check: () => Promise<T>) => eventually(check, { timeoutMs: 20_000 });

it(
  "makes the job when its name resolves, and again for another image",
  { timeout: 60_000 },
  async () => {
    await client.create(Report, { metadata: key, spec: { image: "report:1", title: "Sales" } });
    await within(async () => {
      const { status } = await client.get(Report, key);
      expect(status?.waitingFor).toEqual(["the DNS entry"]);
      expect((await client.get(ConfigMap, key)).data).toEqual({ title: "Sales" });
    });
    expect(await client.find(Job, key)).toBeUndefined();

    resolved = true;
    await client.apply(Report, { metadata: key, spec: { image: "report:1", title: "All sales" } });
    const first = await within(() => client.get(Job, key));

    await client.apply(Report, { metadata: key, spec: { image: "report:2", title: "All sales" } });
    await within(async () => {
      const job = await client.get(Job, key);
      expect(job.spec?.template.spec?.containers[0]?.image).toBe("report:2");
      expect(job.metadata.uid).not.toBe(first.metadata.uid);
    });

    await client.delete(Report, key);
    await within(async () => {
      expect(await client.find(Report, key)).toBeUndefined();
    });
    expect(await client.find(Job, key)).toBeUndefined();
    expect(known.size).toBe(0);
  },
);
