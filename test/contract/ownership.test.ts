/** What an operator must not take, overwrite or delete, on an API server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controllerFor,
  controllerOf,
  createManager,
  createOrUpdateOwned,
  deleteOwned,
  findOwned,
  mergePatch,
  metadataOf,
  mutableCopy,
  secretData,
  secretText,
  type Client,
  type ClusterConfig,
  type Manager,
  type NewObject,
} from "../../src/index.ts";
import { ConfigMap, Namespace, Secret } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

const META = metadataOf(ConfigMap);

describe.each(TARGETS)("on %s, a client", (_, kubeconfig) => {
  let target: Target;
  let config: ClusterConfig;
  let manager: Manager;
  let running: Promise<void>;
  let namespace: string;
  const stop = new AbortController();

  /** All ways to the server, by what they know of ConfigMaps and Secrets. */
  const clients = (): Record<string, Client> => ({
    "that reads from the server": target.client,
    "that reads from the cache": manager.client,
    "that passes the cache by": manager.client.live,
  });
  const NAMES = [
    "that reads from the server",
    "that reads from the cache",
    "that passes the cache by",
  ] as const;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ config } = target);
    [namespace] = target.namespaces;
    // One name: whatever one of them applies, the others could replace.
    manager = createManager({ config, log: silentLogger, name: "tsop" });
    controllerFor(manager)
      .for(ConfigMap, {
        indexes: { color: ({ data }) => (data?.["color"] ? [data["color"]] : []) },
      })
      .complete({ reconcile: () => Promise.resolve() });
    running = manager.start(stop.signal);
    await manager.cache.synced();
  });

  afterAll(async () => {
    stop.abort();
    await running;
    await target.end();
  });

  describe.each(NAMES)("%s", (name) => {
    const slug = name.replaceAll(" ", "-");
    const key = (suffix: string) => ({ namespace, name: `${slug}-${suffix}` });
    const owner = (suffix: string) =>
      target.client.apply(ConfigMap, { metadata: key(suffix), data: { color: slug } });

    it.each([ConfigMap, Secret])(
      "applies for an owner, and takes nothing of another one: %#",
      async (kind) => {
        const client = clients()[name]!;
        const [a, b] = [await owner("a"), await owner("b")];
        const child = { metadata: key("child") };
        await eventually(async () => {
          // The cache has the owners when the reconcile of one begins.
          await manager.client.get(ConfigMap, key("b"));
        });
        const made = await client.apply<ConfigMap | Secret>(kind, child, { owner: a });
        await expect(
          client.apply<ConfigMap | Secret>(kind, child, { owner: b }),
        ).rejects.toMatchObject({
          code: "already-owned",
          message: expect.stringContaining(`controlled by the ConfigMap ${slug}-a`),
        });
        const labelled = { metadata: { ...child.metadata, labels: { a: "b" } } };
        const again = await client.apply<ConfigMap | Secret>(kind, labelled, { owner: a });
        expect(again.metadata.uid).toBe(made.metadata.uid);
        expect(
          controllerOf(await target.client.get<ConfigMap | Secret>(kind, key("child")))?.name,
        ).toBe(`${slug}-a`);
        await target.client.delete(kind, key("child"));
      },
    );

    it("takes what nobody controls, once", async () => {
      const client = clients()[name]!;
      const [a, b] = [await owner("a"), await owner("b")];
      const orphan = { metadata: key("orphan") };
      await target.client.apply(ConfigMap, orphan);
      const taken = await Promise.allSettled(
        [a, b].map((one) => client.apply(ConfigMap, orphan, { owner: one })),
      );
      expect(taken.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const [lost] = taken.flatMap((one) =>
        one.status === "rejected" ? [one.reason as Error] : [],
      );
      expect(lost).toMatchObject({ code: "already-owned" });
      await target.client.delete(ConfigMap, key("orphan"));
    });

    it("makes one object of one name for two owners at a time", async () => {
      const client = clients()[name]!;
      const [a, b] = [await owner("a"), await owner("b")];
      const fresh = { metadata: key("fresh") };
      const made = await Promise.allSettled(
        [a, b].map((one) => client.apply(ConfigMap, fresh, { owner: one })),
      );
      expect(made.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      await target.client.delete(ConfigMap, key("fresh"));
    });

    it("reads, changes and deletes what the owner controls alone, by a name without a namespace", async () => {
      const client = clients()[name]!;
      const [a, b] = [await owner("a"), await owner("b")];
      const child = { name: key("owned").name };
      const fill = (secret: NewObject<Secret>): void => {
        secret.data = secretData({ password: slug });
      };
      expect(await findOwned(client, Secret, child, { owner: a })).toBeUndefined();
      await deleteOwned(client, Secret, child, { owner: a });
      const results = [];
      for (let time = 0; time < 2; time++) {
        results.push(await createOrUpdateOwned(client, Secret, child, fill, { owner: a }));
      }
      expect(results.map(({ result }) => result)).toEqual(["created", "unchanged"]);
      const found = await findOwned(client, Secret, child, { owner: a });
      expect(found && secretText(found, "password")).toBe(slug);
      expect(found && controllerOf(found)?.name).toBe(`${slug}-a`);

      const refused = {
        code: "not-owned",
        message: expect.stringContaining(
          `but the ConfigMap ${slug}-b does not control it`,
        ) as string,
      };
      const by = { owner: b };
      const never = (): never => {
        throw new Error("what is somebody else's is not changed");
      };
      await expect(findOwned(client, Secret, child, by)).rejects.toMatchObject(refused);
      await expect(createOrUpdateOwned(client, Secret, child, never, by)).rejects.toMatchObject(
        refused,
      );
      await expect(deleteOwned(client, Secret, child, by)).rejects.toMatchObject(refused);

      await deleteOwned(client, Secret, child, { owner: a });
      expect(await target.client.find(Secret, key("owned"))).toBeUndefined();
      // What nobody controls is somebody's all the same.
      await target.client.create(Secret, { metadata: key("owned") });
      await expect(
        createOrUpdateOwned(client, Secret, child, never, { owner: a }),
      ).rejects.toMatchObject({ code: "not-owned" });
      await target.client.delete(Secret, key("owned"));
    });

    it("refuses an owner in a namespace for what is in none, which the garbage collector would delete", async () => {
      const client = clients()[name]!;
      const made = client.apply(
        Namespace,
        { metadata: { name: `${namespace}-none` } },
        { owner: await owner("a") },
      );
      await expect(made).rejects.toMatchObject({ code: "owner-elsewhere" });
    });

    it("patches and deletes by metadata alone, and writes nothing whole by it", async () => {
      const client = clients()[name]!;
      const { metadata } = await owner("meta");
      // @ts-expect-error: the token is for reading
      const updated = client.update(META, { metadata });
      await expect(updated).rejects.toMatchObject({ code: "metadata-only-write" });
      // @ts-expect-error: the token is for reading
      const applied = client.apply(META, { metadata: key("meta") });
      await expect(applied).rejects.toMatchObject({
        code: "metadata-only-write",
        fix: expect.stringContaining("Patch it"),
      });
      // @ts-expect-error: the token is for reading
      const created = client.create(META, { metadata: key("more") });
      await expect(created).rejects.toMatchObject({ code: "metadata-only-write" });
      // @ts-expect-error: the token is for reading
      const status = client.status.apply(META, { metadata: key("meta") });
      await expect(status).rejects.toMatchObject({ code: "metadata-only-write" });

      const patch = mergePatch({ metadata: { labels: { seen: "yes" } } });
      const patched = await client.patch(META, key("meta"), patch);
      expect(Object.keys(patched).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      const whole = await client.get(ConfigMap, key("meta"));
      expect(whole).toMatchObject({ metadata: { labels: { seen: "yes" } }, data: { color: slug } });
      await client.delete(META, key("meta"));
    });

    it("has no types that would let metadata be written back as a whole object", () => {
      const client = clients()[name]!;
      const never = async (): Promise<void> => {
        const object = mutableCopy(await client.get(META, key("meta")));
        // @ts-expect-error: what was read is not the whole object
        await client.update(ConfigMap, object);
        // @ts-expect-error: what was read is not the whole object
        await client.create(ConfigMap, { ...object });
        // @ts-expect-error: what was read has no status
        await client.status.update(object);
        // @ts-expect-error: a server has no index
        await client.deleteAllOf(ConfigMap, { namespace, index: { name: "color", value: "red" } });
        // @ts-expect-error: a server has no index
        client.listAll(ConfigMap, { index: { name: "color", value: "red" } });
      };
      expect(never).toBeTypeOf("function");
    });

    const index = { name: "color", value: slug };
    const without = (options: object) => options as { namespace?: string };
    it.each<[string, (client: Client) => Promise<unknown>, object]>([
      [
        "deletes by an index",
        (client) => client.deleteAllOf(ConfigMap, without({ namespace, index })),
        { code: "index-missing" },
      ],
      [
        "deletes a kind that is not watched by an index",
        (client) => client.deleteAllOf(Secret, without({ namespace, index })),
        { code: "index-missing" },
      ],
      [
        "lists a kind that is not watched by an index",
        (client) => client.list(Secret, { namespace, index }),
        { code: "index-missing" },
      ],
      [
        "lists by an index and fields",
        (client) => client.list(ConfigMap, { fields: "metadata.name=x", index }),
        { code: "index-missing" },
      ],
      [
        "lists page by page by an index",
        (client) => client.listAll(ConfigMap, without({ index }))[Symbol.asyncIterator]().next(),
        { code: "index-missing" },
      ],
      [
        "watches by an index",
        (client) => client.watch(ConfigMap, without({ index })),
        { code: "index-missing" },
      ],
      [
        "lists by an index that was never declared",
        (client) => client.list(ConfigMap, { index: { name: "size", value: "1" } }),
        { code: "index-missing" },
      ],
      [
        "lists what is in no namespace in one",
        (client) => client.list(Namespace, { namespace }),
        { code: "kind-in-no-namespace" },
      ],
      [
        "deletes what is in no namespace in one",
        (client) => client.deleteAllOf(Namespace, { namespace }),
        { code: "kind-in-no-namespace" },
      ],
      [
        "deletes in all namespaces",
        (client) => client.deleteAllOf(ConfigMap, { labels: { a: "b" } }),
        { code: "delete-in-all-namespaces" },
      ],
      [
        "deletes by labels that are none",
        (client) => client.deleteAllOf(ConfigMap, { namespace, labels: {} }),
        { code: "empty-selector" },
      ],
      [
        "deletes by a selector that is empty",
        (client) => client.deleteAllOf(ConfigMap, { namespace, labels: " " }),
        { code: "empty-selector" },
      ],
      [
        "deletes by fields that are empty",
        (client) => client.deleteAllOf(ConfigMap, { namespace, fields: "" }),
        { code: "empty-selector" },
      ],
      [
        "selects by a label that is undefined",
        (client) =>
          client.list(ConfigMap, { namespace, labels: { a: undefined as unknown as string } }),
        { name: "SelectorError" },
      ],
      [
        "selects by a label with a comma in it",
        (client) => client.deleteAllOf(ConfigMap, { namespace, labels: { a: "b,c" } }),
        { name: "SelectorError" },
      ],
      [
        "reads without a namespace",
        (client) => client.find(ConfigMap, { name: "a" }),
        { code: "key-without-namespace" },
      ],
    ])("%s: refused, and everything is still there", async (_, misuse, error) => {
      await owner("kept");
      await expect(misuse(clients()[name]!)).rejects.toMatchObject(error);
      expect(await target.client.get(ConfigMap, key("kept"))).toBeDefined();
    });

    it("finds what is in no namespace whatever the key says", async () => {
      const found = await clients()[name]!.find(Namespace, { namespace: "x", name: namespace });
      expect(found?.metadata.name).toBe(namespace);
    });
  });

  it("lists by an index from the cache, in one namespace or all, with labels", async () => {
    const metadata = { namespace, name: "red", labels: { tier: "web" } };
    await manager.client.create(ConfigMap, { metadata, data: { color: "red" } });
    const index = { name: "color", value: "red" };
    for (const options of [
      {},
      { namespace },
      { labels: { tier: "web" } },
      { labels: "tier in (web)" },
    ]) {
      expect(await manager.client.list(ConfigMap, { index, ...options })).toHaveLength(1);
    }
    expect(await manager.client.list(ConfigMap, { index, labels: { tier: "db" } })).toEqual([]);
    expect(await manager.client.list(ConfigMap, { index, namespace: "other" })).toEqual([]);
    const aborted = manager.client.list(ConfigMap, { index, signal: AbortSignal.abort() });
    await expect(aborted).rejects.toThrow("aborted");
  });

  it("says before the start that there is no index yet", async () => {
    const idle = createManager({ config, log: silentLogger });
    controllerFor(idle)
      .for(ConfigMap, { indexes: { color: () => ["red"] } })
      .complete({ reconcile: () => Promise.resolve() });
    const index = { name: "color", value: "red" };
    await expect(idle.client.list(ConfigMap, { index })).rejects.toMatchObject({
      code: "index-missing",
      message: expect.stringContaining("the manager has not started"),
    });
  });
});
