// Objects are plain JSON; the classes of kinds are never instantiated.
/* oxlint-disable typescript/no-misused-spread */
/** The runtime against an API server, over TLS: an operator from its start to its end. */
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it } from "vitest";
import { createManager, type Manager, type Token } from "../../src/index.ts";
import { ConfigMap, CustomResourceDefinition, Deployment, Service } from "../../src/k8s.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually as within } from "../support/eventually.ts";
import { isReady, MyWeb, MYWEB_CRD, setUpMyWeb } from "./myweb.ts";
import { connect, TARGETS, type Target } from "./targets.ts";

const TIMEOUT_MS = 60_000;
/** The controllers of a real cluster take their time. */
const eventually = <T>(step: () => T | Promise<T>): Promise<T> =>
  within(step, { timeoutMs: TIMEOUT_MS });

describe.each(TARGETS)("an operator on %s", { timeout: 2 * TIMEOUT_MS }, (_, kubeconfig) => {
  let target: Target;
  let key: { readonly namespace: string; readonly name: string };
  let manager: Manager;
  let stop: AbortController;
  let running: Promise<void>;

  beforeAll(async () => {
    target = await connect(kubeconfig, { controllers: "on" });
    key = { namespace: target.namespaces[0], name: "one" };
  });

  afterAll(async () => {
    await target.client.delete(CustomResourceDefinition, { name: MYWEB_CRD.metadata.name });
    await target.end();
  });

  beforeEach(() => {
    stop = new AbortController();
    manager = createManager({
      config: target.config,
      log: silentLogger,
      health: { port: 0, host: "127.0.0.1" },
    });
    setUpMyWeb(manager);
    running = manager.start(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await running;
  });

  const readyz = async (): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`http://127.0.0.1:${String(manager.ports.health)}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };

  const breakAndMend = async (): Promise<void> => {
    const { client } = target;
    const broken = await eventually(() => client.get(Service, key));
    await eventually(() => client.delete(Service, key));
    await eventually(async () => {
      const mended = await client.get(Service, key);
      expect(mended.metadata.uid).not.toBe(broken.metadata.uid);
    });
  };

  it("waits for its CRD, says so, and goes on when it appears", async () => {
    await eventually(async () => {
      const { status, text } = await readyz();
      expect(status).toBe(500);
      expect(text).toContain("reason withheld");
      const [problem] = manager.cache.health().flatMap((one) => one.problem ?? []);
      expect(problem).toContain("mywebs.operator.k8s-summit.org is not served: install its CRD");
    });
    await target.client.create(CustomResourceDefinition, MYWEB_CRD);
    await eventually(async () => {
      expect((await readyz()).status).toBe(200);
    });
  });

  it("makes what an object asks for, follows its changes, and reads from the cache", async () => {
    const { client } = target;
    await client.create(MyWeb, {
      metadata: key,
      spec: { image: "nginx:1.27", pageContentHtml: "<p>one</p>" },
    });
    const deployment = await eventually(() => client.get(Deployment, key));
    expect(deployment.metadata.ownerReferences).toMatchObject([
      { kind: "MyWeb", name: "one", controller: true, blockOwnerDeletion: true },
    ]);
    expect(
      deployment.metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
    ).toContainEqual(["tsop", "Apply"]);

    const cached = await eventually(() => manager.client.get(ConfigMap, key));
    expect(Object.isFrozen(cached.data)).toBe(true);
    expect(cached.metadata.managedFields).toBeUndefined();

    // The operator writes the status meanwhile.
    await eventually(async () => {
      const web = await client.get(MyWeb, key);
      await client.update(MyWeb, { ...web, spec: { ...web.spec, pageContentHtml: "<p>two</p>" } });
    });
    await eventually(async () => {
      const { data } = await client.get(ConfigMap, key);
      expect(data?.["index.html"]).toBe("<p>two</p>");
    });
  });

  // A cluster that is only there for tests has no nodes that would run the pods.
  it.skipIf(kubeconfig !== undefined)(
    "tells when its pods are ready (where pods are run: on the embedded control plane)",
    async () => {
      await eventually(async () => {
        expect(isReady(await target.client.get(MyWeb, key))).toBe(true);
      });
    },
  );

  it("mends what somebody else breaks", async () => {
    await breakAndMend();
  });

  // No other server cuts what it serves because a test wants it to; `recovery.test.ts` breaks watches of its own.
  it.skipIf(kubeconfig !== undefined)(
    "loses nothing when connections are cut (by the embedded control plane)",
    async () => {
      await eventually(() => {
        expect(manager.cache.health().every(({ synced }) => synced)).toBe(true);
      });
      target.dropConnections();
      await breakAndMend();
    },
  );

  it("lets what it made be collected with its owner", async () => {
    const { client } = target;
    await client.delete(MyWeb, key);
    await eventually(async () => {
      for (const token of [Deployment, Service, ConfigMap] satisfies Token[]) {
        expect(await client.find(token as Token, key)).toBeUndefined();
      }
    });
  });

  it("says which rule is missing when it has no rights", async () => {
    const config = { ...target.config, impersonate: { user: "nobody-special" } };
    const powerless = createManager({ config, log: silentLogger });
    setUpMyWeb(powerless);
    const end = new AbortController();
    const ended = powerless.start(end.signal);
    await eventually(() => {
      const denied = powerless.cache.health().find(({ resource }) => resource.startsWith("mywebs"));
      expect(denied?.synced).toBe(false);
      expect(denied?.problem).toContain(
        '@Rbac({ groups: ["operator.k8s-summit.org"], resources: ["mywebs"], verbs: ["list", "watch"] })',
      );
    });
    end.abort();
    await ended;
  });
});
