/**
 * The faults that a real API server has to show, too: on the embedded control plane, and on the cluster of
 * `TSOP_E2E_KUBECONFIG` where that is set. Everything that is made there has the label `tsop-e2e` and is deleted again.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/clock.ts";
import {
  createManager,
  loadClusterConfig,
  type Client,
  type ClusterConfig,
  type KubeObject,
} from "../../src/index.ts";
import { ConfigMap, Lease } from "../../src/k8s.ts";
import { createClient } from "../../src/runtime/client/create-client.ts";
import { restListerWatcher } from "../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../src/runtime/client/rest-client.ts";
import { HttpsTransport } from "../../src/runtime/transport/https-transport.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../src/runtime/transport/transport.ts";
import {
  eventually,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../src/testing.ts";
import { resourceOf } from "../../src/kube/resource.ts";
import { StoppableClock } from "../runtime/support/stoppable-clock.ts";
import { listen, status } from "../runtime/support/widgets.ts";

const { TSOP_E2E_KUBECONFIG: real } = process.env;
const NAMESPACE = "default";
const SLOW = { timeoutMs: 20_000 };

/** Ends the bodies of all open watches: with a broken connection, or an event of the test's own. */
class BreakableTransport implements Transport {
  readonly server: string;
  readonly #inner: Transport;
  readonly #open = new Set<(end: Uint8Array | undefined) => void>();

  constructor(inner: Transport) {
    this.#inner = inner;
    this.server = inner.server;
  }

  /** @param last - what the server seems to say at the end */
  end(last?: object): void {
    const bytes = last && Buffer.from(`${JSON.stringify(last)}\n`);
    for (const end of [...this.#open]) end(bytes);
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner.request(request);
    if (!request.path.includes("watch=true")) return response;
    return { ...response, body: this.#body(response) };
  }

  close(): void {
    this.#inner.close();
  }

  async *#body(response: TransportResponse): AsyncGenerator<Uint8Array> {
    const pieces = response.body[Symbol.asyncIterator]();
    const ended = new Promise<{ readonly last: Uint8Array | undefined }>((resolve) => {
      this.#open.add((last) => {
        resolve({ last });
      });
    });
    for (;;) {
      const piece = pieces.next();
      const next = await Promise.race([piece, ended]);
      if ("last" in next) {
        this.#open.clear();
        piece.catch(() => undefined);
        response.cancel();
        if (next.last) yield next.last;
        else throw new ConnectionError("reset", this.server, "broken by the test");
        return;
      }
      if (next.done === true) return;
      yield next.value;
    }
  }
}

const targets = [["the embedded control plane", undefined] as const].concat(
  real === undefined ? [] : [["the cluster of TSOP_E2E_KUBECONFIG", real] as never],
);

describe.each(targets)("on %s", (_, kubeconfig?: string) => {
  const run = `r${Date.now().toString(36)}`;
  let cluster: ControlPlane | undefined;
  let config: ClusterConfig;
  let client: Client;

  beforeAll(async () => {
    if (kubeconfig === undefined) cluster = await startControlPlane({ controllers: "off" });
    const kubeconfigText = cluster?.kubeconfig ?? readFileSync(kubeconfig ?? "", "utf8");
    config = loadClusterConfig({ kubeconfigText });
    client = createClient(config);
  });

  afterAll(async () => {
    await client.deleteAllOf(ConfigMap, { namespace: NAMESPACE, labels: { "tsop-e2e": run } });
    await client.deleteAllOf(Lease, {
      namespace: NAMESPACE,
      fields: `metadata.name=tsop-e2e-${run}`,
    });
    await cluster?.stop();
  });

  const page = (test: string, name: string, text = "") => ({
    metadata: {
      namespace: NAMESPACE,
      name: `${run}-${test}-${name}`,
      labels: { "tsop-e2e": run, test },
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
          namespace: NAMESPACE,
          labelSelector: `tsop-e2e=${run},test=${test}`,
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
          .map(({ metadata }) => `${metadata.name!}@${metadata.resourceVersion!}`)
          .sort(),
      end: async () => {
        stop.abort();
        await running;
      },
    };
  }

  const stored = async (test: string): Promise<string[]> => {
    const all = await client.list(ConfigMap, {
      namespace: NAMESPACE,
      labels: { "tsop-e2e": run, test },
    });
    return all.map(({ metadata }) => `${metadata.name!}@${metadata.resourceVersion!}`).sort();
  };

  it("T3: a cut in the middle of a watch loses nothing and repeats nothing", async () => {
    const { transport, told, end } = watch("t3");
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
        const clock = new StoppableClock(systemClock);
        const manager = createManager({
          config,
          clock,
          log: silentLogger,
          leaderElection: {
            id: `tsop-e2e-${run}`,
            namespace: NAMESPACE,
            identity,
            leaseDurationMs: 3000,
            renewDeadlineMs: 2000,
            retryPeriodMs: 300,
          },
        });
        const stop = new AbortController();
        const running = manager.start(stop.signal).catch((error: unknown) => error);
        return { clock, manager, stop, running };
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
