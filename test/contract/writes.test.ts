/** Locks, create-or-patch, warnings, dry runs and raw requests: on the embedded control plane and on a real one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createClient,
  createOrPatch,
  createOrUpdate,
  isConflict,
  isNotFound,
  jsonPatch,
  keyOf,
  mergePatch,
  strategicPatch,
  type ApiWarning,
  type Client,
} from "../../src/index.ts";
import { ConfigMap, Deployment } from "../../src/k8s.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

const pods = (image: string) => ({
  selector: { matchLabels: { app: "a" } },
  template: {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "main", image }] },
  },
});

describe.each(TARGETS)("writes on %s", (_, kubeconfig) => {
  let target: Target;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ client } = target);
    [namespace] = target.namespaces;
  });

  afterAll(async () => {
    await target.end();
  });

  it.each([
    ["merge patch", mergePatch({ data: { a: "2" } })],
    ["strategic merge patch", strategicPatch({ data: { a: "2" } })],
    ["JSON patch", jsonPatch([{ op: "replace", path: "/data/a", value: "2" }])],
  ])("a %s with a lock is refused with a conflict when the object changed", async (way, patch) => {
    const key = { namespace, name: `lock-${way.toLowerCase().replaceAll(" ", "-")}` };
    const read = await client.create(ConfigMap, { metadata: key, data: { a: "1" } });
    await client.patch(ConfigMap, key, mergePatch({ data: { b: "of another" } }));
    await expect(client.patch(ConfigMap, key, patch, { optimisticLock: read })).rejects.toSatisfy(
      isConflict,
    );
    const now = await client.get(ConfigMap, key);
    const patched = await client.patch(ConfigMap, key, patch, { optimisticLock: now });
    expect(patched.data).toEqual({ a: "2", b: "of another" });
  });

  it("createOrPatch creates with the status, patches what differs, and writes nothing else", async () => {
    const key = { namespace, name: "created" };
    const make = (image: string, replicas: number) =>
      createOrPatch(client, Deployment, key, (deployment) => {
        deployment.spec = { ...deployment.spec, ...pods(image) };
        deployment.status = { ...deployment.status, replicas };
      });
    const created = await make("a:1", 2);
    expect(created).toMatchObject({ result: "created", statusPatched: true });
    expect(created.object.status?.replicas).toBe(2);
    const same = await createOrPatch(client, Deployment, key, () => undefined);
    expect(same).toMatchObject({ result: "unchanged", statusPatched: false });
    expect(same.object.metadata.resourceVersion).toBe(created.object.metadata.resourceVersion);
    const status = await createOrPatch(client, Deployment, key, (deployment) => {
      deployment.status = { ...deployment.status, replicas: 3 };
    });
    expect(status).toMatchObject({ result: "unchanged", statusPatched: true });
    expect(status.object.metadata.generation).toBe(1);
    const both = await createOrPatch(client, Deployment, key, (deployment) => {
      deployment.metadata.labels = { tier: "web" };
      deployment.status = {};
    });
    expect(both).toMatchObject({ result: "updated", statusPatched: true });
    expect(both.object.metadata.labels).toEqual({ tier: "web" });
    expect(both.object.status?.replicas).toBeUndefined();
  });

  it("createOrPatch loses nothing of what others write meanwhile", async () => {
    const key = { namespace, name: "raced" };
    await client.create(ConfigMap, { metadata: key, data: { list: "a" } });
    let calls = 0;
    let other: Promise<unknown> = Promise.resolve();
    const racing: Client = Object.assign(Object.create(client) as Client, {
      patch: async (...given: Parameters<Client["patch"]>) => {
        await other;
        return client.patch(...given);
      },
    });
    const { result, object } = await createOrPatch(racing, ConfigMap, key, (map) => {
      if (calls++ === 0) {
        other = client.patch(ConfigMap, key, mergePatch({ data: { list: "a,b" } }));
      }
      map.data = { list: `${map.data?.["list"] ?? ""},c` };
    });
    expect({ result, data: object.data, calls }).toEqual({
      result: "updated",
      data: { list: "a,b,c" },
      calls: 2,
    });
  });

  it("createOrPatch sends nothing of a status to a kind that has none", async () => {
    const key = { namespace, name: "stateless" };
    const seen: string[] = [];
    const watched = createClient(target.config, {
      middlewares: [
        (request, next) => {
          seen.push(`${request.method} ${request.path.split("/").slice(-2).join("/")}`);
          return next(request);
        },
      ],
    });
    for (const data of [{ a: "1" }, { a: "2" }, { a: "2" }]) {
      await createOrPatch(watched, ConfigMap, key, (map) => {
        map.data = data;
      });
    }
    expect(seen.filter((request) => !request.startsWith("GET"))).toEqual([
      `POST ${namespace}/configmaps`,
      "PATCH configmaps/stateless",
    ]);
  });

  it("createOrPatch goes on where somebody else created the object first", async () => {
    const key = { namespace, name: "first" };
    let calls = 0;
    const late: Client = Object.assign(Object.create(client) as Client, {
      create: async (...given: Parameters<Client["create"]>) => {
        await client.create(ConfigMap, { metadata: key, data: { theirs: "1" } });
        return client.create(...given);
      },
    });
    const { result, object } = await createOrPatch(late, ConfigMap, key, (map) => {
      calls++;
      map.data = { ...map.data, ours: "1" };
    });
    expect({ result, data: object.data, calls }).toEqual({
      result: "updated",
      data: { theirs: "1", ours: "1" },
      calls: 2,
    });
  });

  it("createOrPatch and createOrUpdate refuse to write another object", async () => {
    const key = { namespace, name: "kept" };
    const refused = { code: "mutated-key" };
    for (const other of [{ name: "other" }, { name: "kept", namespace: "other" }]) {
      const mutate = (map: { metadata: object }) => {
        Object.assign(map.metadata, other);
      };
      await expect(createOrPatch(client, ConfigMap, key, mutate)).rejects.toMatchObject(refused);
      await expect(createOrUpdate(client, ConfigMap, key, mutate)).rejects.toMatchObject(refused);
    }
    expect(await client.find(ConfigMap, key)).toBeUndefined();
  });

  it("that are dry runs store nothing, all of them", async () => {
    const key = { namespace, name: "tried" };
    const dryRun = { dryRun: true };
    const tried = await createOrPatch(
      client,
      Deployment,
      key,
      (deployment) => {
        deployment.spec = pods("a:1");
        deployment.status = { replicas: 1 };
      },
      dryRun,
    );
    expect(tried).toMatchObject({ result: "created", statusPatched: false });
    await expect(client.get(Deployment, key)).rejects.toSatisfy(isNotFound);
    const real = await client.create(Deployment, { metadata: key, spec: pods("a:1") });
    const trying = createClient(target.config, { dryRun: true, warnings: "ignore" });
    const changed = { ...real, metadata: { ...real.metadata, labels: { a: "b" } } };
    await trying.update(Deployment, changed, { dryRun: false });
    await trying.patch(Deployment, key, mergePatch({ spec: { replicas: 9 } }));
    await trying.subresource("scale").patch(Deployment, key, mergePatch({ spec: { replicas: 9 } }));
    await trying.status.patch(real, { replicas: 9 });
    await trying.apply(Deployment, { metadata: key, spec: { replicas: 9 } });
    await createOrPatch(trying, Deployment, key, (deployment) => {
      deployment.metadata.labels = { a: "b" };
    });
    await trying.delete(Deployment, key);
    await trying.deleteAllOf(Deployment, { namespace });
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${key.name}`;
    await trying.raw({ method: "DELETE", path });
    await trying.raw({ method: "DELETE", path, body: { gracePeriodSeconds: 0 } });
    await trying.raw({
      method: "PATCH",
      path,
      body: { spec: { replicas: 9 } },
      contentType: "application/merge-patch+json",
    });
    const now = await client.get(Deployment, keyOf(real));
    expect(now.metadata.resourceVersion).toBe(real.metadata.resourceVersion);
  });

  it("tell the warnings of the API server", async () => {
    const seen: ApiWarning[] = [];
    const warned = createClient(target.config, { warnings: (warning) => seen.push(warning) });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const body = { metadata: { name: "odd" }, data: {}, 'no "such", field': 1, and: 2 };
    await warned.raw({ method: "POST", path, body, query: { fieldValidation: "Warn" } });
    expect(seen.map(({ text }) => text).sort()).toEqual([
      'unknown field "and"',
      'unknown field "no \\"such\\", field"',
    ]);
  });

  it("and streams of a pod that is not there are refused as such", async () => {
    const key = { namespace, name: "none" };
    await expect(client.pods.exec(key, { command: ["ls"] })).rejects.toSatisfy(isNotFound);
    await expect(client.pods.attach(key)).rejects.toSatisfy(isNotFound);
    await expect(client.pods.connect(key, 80)).rejects.toSatisfy(isNotFound);
    await expect(client.pods.logs(key)[Symbol.asyncIterator]().next()).rejects.toSatisfy(
      isNotFound,
    );
  });

  it("and reads of any path are answered as they are", async () => {
    const version = (await client.raw({ path: "/version" })).json() as { gitVersion: string };
    expect(version.gitVersion).toMatch(/^v1\.\d+\./);
    expect((await client.raw({ path: "/healthz" })).text()).toBe("ok");
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
    expect((await client.raw({ path, accept })).json()).toMatchObject({ kind: "Table" });
    await expect(client.raw({ path: "/apis/none.io/v1" })).rejects.toSatisfy(isNotFound);
  });
});
