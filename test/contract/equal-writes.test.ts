/** Writes of a manager's client that would change nothing: none is sent again, and no reconciler goes round in circles. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  createOrPatch,
  createOrUpdate,
  type Client,
  type Defaulter,
  type Manager,
  mergePatch,
  MutatingWebhook,
  type NewObject,
  type Sent,
} from "../../src/index.ts";
import {
  ConfigMap,
  Deployment,
  Ingress,
  MutatingWebhookConfiguration,
  NetworkPolicy,
  Secret,
} from "../../src/k8s.ts";
import type { ResourceType } from "../../src/kube/resource.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { installGadgets, removeGadgets } from "./intents/shapes.ts";
import { connect, TARGETS, type Target } from "./targets.ts";
import { webhookCertificate } from "./webhook-certificate.ts";

const POLICIES: Readonly<Record<string, NewObject<NetworkPolicy>["spec"]>> = {
  "egress of nothing": { podSelector: {}, egress: [], policyTypes: ["Egress"] },
  "ingress of nothing": { podSelector: {}, ingress: [], policyTypes: ["Ingress"] },
  "ingress from nobody": { podSelector: {}, ingress: [{ from: [] }] },
  "an empty selector": { podSelector: { matchLabels: {} } },
};

@MutatingWebhook(ConfigMap, { path: "/mutate" })
class Mutates implements Defaulter<ConfigMap> {
  default(map: Sent<ConfigMap>): void {
    map.data = { ...map.data, page: "of the webhook", added: "by the webhook" };
  }
}

describe.each(TARGETS)("writes that change nothing, on %s", (_, kubeconfig) => {
  let target: Target;
  let others: Client;
  let client: Client;
  let manager: Manager;
  let namespace: string;
  let running: Promise<void>;
  let gadget: ResourceType;
  const passes: Record<string, number> = {};
  const stop = new AbortController();
  const certificate = webhookCertificate();
  const sent: string[] = [];

  /** The number of writes that `work` sends. */
  const writesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = sent.length;
    await work();
    return sent.length - before;
  };

  beforeAll(async () => {
    target = await connect(kubeconfig);
    others = target.client;
    [namespace] = target.namespaces;
    gadget = await others.dynamic(await installGadgets(others, target.run), "Gadget");
    manager = createManager({
      config: target.config,
      name: "intents",
      log: silentLogger,
      warnings: "ignore",
      webhooks: { port: 0, host: "127.0.0.1", certificate: certificate.files },
      middlewares: [
        (request, next) => {
          if (request.method !== "GET") sent.push(`${request.method} ${request.path}`);
          return next(request);
        },
      ],
    });
    ({ client } = manager);
    manager.webhooks.add(new Mutates());
    controllerFor(manager)
      .for(ConfigMap)
      .owns(NetworkPolicy)
      .watches(Deployment, { map: () => [] })
      .watches(Ingress, { map: () => [] })
      .watches(gadget, { map: () => [] })
      .complete({
        async reconcile({ key }) {
          const owner = await client.find(ConfigMap, key);
          const spec = POLICIES[owner?.data?.["policy"] ?? ""];
          if (!owner || !spec) return;
          passes[key.name] = (passes[key.name] ?? 0) + 1;
          await client.apply(NetworkPolicy, { metadata: { name: key.name }, spec }, { owner });
        },
      });
    running = manager.start(stop.signal);
    await manager.cache.synced();
  });
  afterAll(async () => {
    stop.abort();
    await running;
    certificate.remove();
    await removeGadgets(others, target.run);
    await target.end();
  });

  it.each(Object.keys(POLICIES))("a policy with %s is written once", async (policy) => {
    const name = policy.replaceAll(" ", "-");
    await others.create(ConfigMap, { metadata: { namespace, name }, data: { policy } });
    await manager.idle();
    const { metadata } = await others.get(NetworkPolicy, { namespace, name });
    expect(metadata.generation).toBe(1);
    expect(passes[name]).toBeLessThanOrEqual(3);
  });

  it("what a mutating webhook changes is not applied again", async () => {
    const metadata = { namespace, name: "mutated", labels: { mutate: target.run } };
    await eventually(() => expect(manager.ports.webhooks).toBeDefined());
    await others.create(MutatingWebhookConfiguration, {
      metadata: { name: target.run },
      webhooks: [
        {
          name: "mutate.example.com",
          clientConfig: {
            url: `https://127.0.0.1:${String(manager.ports.webhooks)}/mutate`,
            caBundle: certificate.caBundle,
          },
          rules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              resources: ["configmaps"],
              operations: ["CREATE", "UPDATE"],
            },
          ],
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          objectSelector: { matchLabels: { mutate: target.run } },
        },
      ],
    });
    try {
      const probe = { metadata: { ...metadata, name: "probe" }, data: {} };
      await eventually(async () => {
        const { data } = await others.create(ConfigMap, probe, { dryRun: true });
        expect(data).toMatchObject({ added: "by the webhook" });
      });
      const apply = () => client.apply(ConfigMap, { metadata, data: { page: "ours" } });
      expect(await writesOf(apply)).toBe(1);
      await manager.idle();
      expect(await writesOf(apply)).toBe(0);
      expect((await apply()).data).toMatchObject({ page: "of the webhook" });
      await others.patch(ConfigMap, metadata, mergePatch({ metadata: { labels: { a: "b" } } }));
      await manager.idle();
      expect(await writesOf(apply)).toBeLessThanOrEqual(1);
      expect(await writesOf(apply)).toBe(0);
    } finally {
      await others.delete(MutatingWebhookConfiguration, { name: target.run });
    }
  });

  it("intents of an object, its status and two field managers are remembered side by side", async () => {
    const metadata = { namespace, name: "shared" };
    const all = async (): Promise<void> => {
      await client.apply(gadget, { metadata, spec: { size: 1, list: [] } });
      await client.apply(gadget, { metadata, spec: { ratio: 2 } }, { fieldManager: "b" });
      await client.status.apply(gadget, { metadata, status: { seen: null, at: [] } });
    };
    expect(await writesOf(all)).toBe(3);
    await manager.idle();
    expect(await writesOf(all)).toBe(0);
    await others.apply(gadget, { metadata, spec: { ratio: 3 } }, { fieldManager: "c" });
    await manager.idle();
    expect(await writesOf(all)).toBe(1);
    expect(await others.get(gadget, metadata)).toMatchObject({ spec: { size: 1, ratio: 2 } });
  });

  it("an update and a patch that the server stores in another spelling are sent once", async () => {
    const spec = (): Pick<NewObject<Deployment>, "spec"> => ({
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            hostNetwork: false,
            volumes: [],
            containers: [{ name: "a", image: "a:1", resources: { limits: { cpu: "0.5" } } }],
          },
        },
      },
    });
    const mutate = (deployment: NewObject<Deployment>): void => {
      Object.assign(deployment, spec());
    };
    for (const name of ["updated", "patched"]) {
      const key = { namespace, name };
      const results: string[] = [];
      const run = async (): Promise<void> => {
        const { result } = await (name === "updated"
          ? createOrUpdate(client, Deployment, key, mutate)
          : createOrPatch(client, Deployment, key, mutate));
        results.push(result);
        await manager.idle();
      };
      expect(await writesOf(run)).toBe(1);
      expect(await writesOf(run)).toBeLessThanOrEqual(1);
      // Where a controller runs, its status may come in between.
      await eventually(async () => expect(await writesOf(run)).toBe(0));
      expect(results[0]).toBe("created");
      expect(new Set(results.slice(1))).toEqual(new Set(["unchanged"]));
      await others.patch(Deployment, key, mergePatch({ spec: { paused: true } }));
      await manager.idle();
      await others.patch(Deployment, key, mergePatch({ spec: { replicas: 2 } }));
      await manager.idle();
      await run();
      expect((await others.get(Deployment, key)).spec?.replicas).toBe(0);
    }
  });

  it("a status patch is sent once, and again when others change what it sets", async () => {
    const metadata = { namespace, name: "status" };
    const object = await client.apply(gadget, { metadata, spec: {} });
    const patch = () => client.status.patch(object as never, { seen: 1 });
    expect(await writesOf(patch)).toBe(1);
    expect(await writesOf(patch)).toBe(0);
    await others.status.patch(object as never, { seen: 2 });
    await manager.idle();
    expect(await writesOf(patch)).toBe(1);
  });

  it("a status patch that the server stores without its empty lists is sent once", async () => {
    const metadata = { namespace, name: "empty" };
    const spec = { defaultBackend: { service: { name: "a", port: { number: 80 } } } };
    const object = await client.apply(Ingress, { metadata, spec });
    const status = { loadBalancer: { ingress: [] } };
    const patch = () => client.status.patch(object, status);
    const patchAnew = () => client.status.patch(object, () => status);
    expect(await writesOf(patch)).toBe(1);
    expect(await writesOf(patch)).toBe(0);
    await manager.idle();
    expect(await writesOf(patchAnew)).toBe(0);
    await others.status.patch(object, { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } });
    await manager.idle();
    expect(await writesOf(patchAnew)).toBe(1);
    expect((await others.get(Ingress, metadata)).status).toEqual({ loadBalancer: {} });
  });

  it("without a watch an apply for an owner reads the object, and any other apply is sent", async () => {
    const key = { namespace, name: "owner-of-secret" };
    const owner = await others.create(ConfigMap, { metadata: key });
    const intent = { metadata: { namespace, name: "unwatched" }, stringData: { a: "b" } };
    const owned = () => client.apply(Secret, intent, { owner });
    expect(await writesOf(owned)).toBe(1);
    expect(await writesOf(owned)).toBe(0);
    await others.apply(
      Secret,
      { ...intent, stringData: { a: "theirs" } },
      { fieldManager: "another" },
    );
    expect(await writesOf(owned)).toBe(1);
    expect(await writesOf(() => client.apply(Secret, intent))).toBe(1);
    expect(await writesOf(() => client.apply(Secret, intent))).toBe(1);
  });

  it("a dry run is neither remembered nor spared", async () => {
    const intent = { metadata: { namespace, name: "tried" }, data: { page: "1" } };
    await client.apply(ConfigMap, intent);
    const changed = { ...intent, data: { page: "2" } };
    const tried = () => client.apply(ConfigMap, changed, { dryRun: true });
    expect(await writesOf(tried)).toBe(1);
    expect(await writesOf(tried)).toBe(1);
    expect(await writesOf(() => client.apply(ConfigMap, changed))).toBe(1);
  });

  it("deletion, and creation by others, lead to another apply", async () => {
    const metadata = { namespace, name: "deleted" };
    const apply = () => client.apply(ConfigMap, { metadata, data: {} });
    await apply();
    await manager.idle();
    expect(await writesOf(apply)).toBe(0);
    await others.delete(ConfigMap, metadata);
    await manager.idle();
    expect(await writesOf(apply)).toBe(1);
    await others.delete(ConfigMap, metadata);
    await others.create(ConfigMap, { metadata });
    await manager.idle();
    expect(await writesOf(apply)).toBe(1);
  });

  it("the text of a Secret is applied again when others change the bytes that it became", async () => {
    const metadata = { namespace, name: "password" };
    const apply = () => client.apply(Secret, { metadata, stringData: { password: "ours" } });
    // From here on Secrets are watched.
    manager.cache.addIndex(Secret, "none", () => []);
    await manager.cache.synced();
    expect(await writesOf(apply)).toBe(1);
    await manager.idle();
    expect(await writesOf(apply)).toBe(0);
    const theirs = mergePatch({ data: { password: "dGhlaXJz" } });
    await others.patch(Secret, metadata, theirs);
    await manager.idle();
    expect(await writesOf(apply)).toBe(1);
    expect((await others.get(Secret, metadata)).data).toEqual({ password: "b3Vycw==" });
  });
});
