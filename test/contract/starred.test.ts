/**
 * The faults that a real API server has to show, too: on the embedded control plane, and on the cluster of
 * `TSOP_E2E_KUBECONFIG` where that is set.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import {
  createManager,
  type Client,
  type ClusterConfig,
  type KubeObject,
} from "../../src/index.ts";
import { ConfigMap } from "../../src/k8s.ts";
import { restListerWatcher } from "../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../src/runtime/rest/rest-client.ts";
import { HttpsTransport } from "../../src/runtime/transport/https-transport.ts";
import { silentLogger } from "../../src/testing.ts";
import { eventually } from "../support/eventually.ts";
import { resourceOf } from "../../src/kube/resource.ts";
import { BreakableTransport } from "./breakable-transport.ts";
import { connect, TARGETS, type Target } from "./targets.ts";
import { StoppableClock } from "../runtime/support/stoppable-clock.ts";
import { listen, status } from "../runtime/support/widgets.ts";

const SLOW = { timeoutMs: 50_000 };

describe.each(TARGETS)("on %s", (_, kubeconfig) => {
  let target: Target;
  let config: ClusterConfig;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    target = await connect(kubeconfig);
    ({ config, client } = target);
    [namespace] = target.namespaces;
  });

  afterAll(async () => {
    await target.end();
  });

  const page = (test: string, name: string, text = "") => ({
    metadata: {
      namespace,
      name: `${test}-${name}`,
      labels: { test },
    },
    data: { text },
  });

  function watch(test: string) {
    const transport = new BreakableTransport(new HttpsTransport(config, "tsop-e2e"));
    const informer = new SharedInformer<KubeObject>({
      listerWatcher: restListerWatcher(
        new RestClient(transport, systemClock),
        resourceOf(ConfigMap),
        {
          namespace,
          labelSelector: `test=${test}`,
        },
      ),
      clock: systemClock,
      log: silentLogger,
    });
    const told = listen(informer);
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    return {
      transport,
      informer,
      /** What was told, without versions: `add one`. */
      told: () =>
        told.map((line) => {
          const [what = "", name = ""] = line.split(" ");
          return `${what} ${(name.split("@")[0] ?? "").split("-").at(-1) ?? ""}`;
        }),
      versions: () =>
        informer.indexer
          .list()
          .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
          .sort(),
      end: async () => {
        stop.abort();
        await running;
        transport.close();
      },
    };
  }

  const stored = async (test: string): Promise<string[]> => {
    const all = await client.list(ConfigMap, {
      namespace,
      labels: { test },
    });
    return all.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort();
  };

  it("T3: a cut in the middle of a watch loses nothing and repeats nothing", async () => {
    const { transport, informer, told, end } = watch("t3");
    await informer.synced;
    await client.create(ConfigMap, page("t3", "one"));
    await eventually(() => {
      expect(told()).toEqual(["add one"]);
    }, SLOW);
    transport.end();
    await client.create(ConfigMap, page("t3", "two"));
    await eventually(() => {
      expect(told()).toEqual(["add one", "add two"]);
    }, SLOW);
    await end();
  });

  it("T6: after 410 in a watch the store is the server's again, and what went is told", async () => {
    const { transport, told, versions, end } = watch("t6");
    await client.create(ConfigMap, page("t6", "one"));
    await client.create(ConfigMap, page("t6", "two"));
    await eventually(() => {
      expect(told().length).toBe(2);
    }, SLOW);
    transport.end({ type: "ERROR", object: status(410, "Expired") });
    await client.delete(ConfigMap, page("t6", "one").metadata);
    await eventually(async () => {
      expect(versions()).toEqual(await stored("t6"));
      expect(told().some((line) => /^(tombstone|delete) one$/.test(line))).toBe(true);
    }, SLOW);
    await end();
  });

  it("T10: what changes while the first list comes in is in its last state", async () => {
    for (let index = 0; index < 20; index++)
      await client.create(ConfigMap, page("t10", `n${index}`));
    const { versions, end } = watch("t10");
    for (let index = 0; index < 20; index++) {
      const { metadata } = page("t10", `n${index}`);
      if (index % 2 === 0) await client.delete(ConfigMap, metadata);
      else await client.apply(ConfigMap, page("t10", `n${index}`, "changed"));
    }
    await eventually(async () => {
      expect(versions()).toEqual(await stored("t10"));
    }, SLOW);
    expect(versions().length).toBe(10);
    await end();
  });

  it(
    "T39: a leader that was stopped writes nothing when it wakes up",
    { timeout: 60_000 },
    async () => {
      const start = (identity: string) => {
        const own = new StoppableClock(systemClock);
        const manager = createManager({
          config,
          clock: own,
          log: silentLogger,
          leaderElection: {
            id: "tsop-e2e",
            namespace,
            identity,
            leaseDurationMs: 3000,
            renewDeadlineMs: 2000,
            retryPeriodMs: 300,
          },
        });
        const stop = new AbortController();
        const running = manager.start(stop.signal).catch((error: unknown) => error);
        return { clock: own, manager, stop, running };
      };
      const one = start("one");
      await one.manager.elected;
      await one.manager.client.create(ConfigMap, page("t39", "before"));
      one.clock.stop();
      const two = start("two");
      await two.manager.elected;
      const late = one.manager.client.create(ConfigMap, page("t39", "late"));
      await expect(late).rejects.toMatchObject({ code: "leadership-lost" });
      one.clock.resume();
      expect(await one.running).toMatchObject({ code: "leadership-lost" });
      await two.manager.client.create(ConfigMap, page("t39", "after"));
      expect((await stored("t39")).length).toBe(2);
      two.stop.abort();
      await two.running;
    },
  );
});
