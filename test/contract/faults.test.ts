// Objects are plain JSON; the classes of kinds are never instantiated.
/* oxlint-disable typescript/no-misused-spread */
/** An operator on a network that fails all the time: nothing is lost, nothing is left over. */
import { describe, expect, it } from "vitest";
import { createManager, loadClusterConfig } from "../../src/index.ts";
import { CustomResourceDefinition } from "../../src/k8s.ts";
import {
  clientFor,
  FaultyTransport,
  HttpsTransport,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../src/testing.ts";
import { MyWeb, MYWEB_CRD, setUpMyWeb } from "./myweb.ts";
import { TARGETS } from "./targets.ts";
import type { SentObject } from "../../src/kube/object.ts";

const WEBS = 200;
// `TSOP_FAULT_SEED` replays the draws of a run, `TSOP_FAULT_SECONDS` makes it longer.
const SEED = Number(process.env["TSOP_FAULT_SEED"] ?? 1);
const FAULTY_MS = 1000 * Number(process.env["TSOP_FAULT_SECONDS"] ?? 60);
const STEP_MS = 100;
const IMAGE = "nginx:1.27";

const nameOf = (index: number): string => `web-${String(index).padStart(3, "0")}`;

/** Lets the sockets of this process do their work: virtual time stands still meanwhile. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe.each(TARGETS)("an operator on a failing network before %s", (_, kubeconfig) => {
  // Virtual time, history that is dropped and connections that are cut when a test says so are the embedded one's.
  it.skipIf(kubeconfig !== undefined)(
    `brings ${WEBS} objects into their state (seed ${SEED})`,
    { timeout: 60_000 + 5 * FAULTY_MS },
    async () => {
      const clock = new VirtualClock({ seed: SEED });
      // The test's own draws are apart, so that a change of the runtime does not change what the test does.
      const dice = new VirtualClock({ seed: SEED + 1 });
      const draw = (below: number): number => Math.floor(dice.random() * below);
      await using cluster = await startControlPlane({ clock, controllers: "no-kubelet" });
      const config = loadClusterConfig({ kubeconfigText: cluster.kubeconfig });
      const client = clientFor(cluster);
      let busy = 0;
      const advance = async (durationMs: number, stepMs = STEP_MS): Promise<void> => {
        for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
          await clock.advance(stepMs);
          do await turn();
          while (busy > 0);
        }
      };
      const acting = <T>(act: Promise<T>): Promise<T> => {
        busy++;
        return act.finally(() => busy--);
      };

      await client.create(CustomResourceDefinition, MYWEB_CRD);
      await advance(1000);
      const network = new HttpsTransport(config, "myweb-operator");
      const transport = new FaultyTransport(
        {
          server: network.server,
          request: (request) => acting(network.request(request)),
          close: () => {
            network.close();
          },
        },
        clock,
        { refuse: 0.02, reset: 0.03, cut: 0.02, status: { 429: 0.02, 500: 0.03 }, delayMs: 150 },
      );
      const manager = createManager({ transport, clock, log: silentLogger });
      setUpMyWeb(manager, { maxConcurrentReconciles: 10 });
      const stop = new AbortController();
      const running = manager.start(stop.signal);

      const expected = new Map<string, string>();
      let dropped = 0;
      const change = async (): Promise<void> => {
        const name = nameOf(draw(WEBS));
        const key = { namespace: "default", name };
        const page = `<p>${name} at ${clock.now()}</p>`;
        if (!expected.has(name)) {
          await client.create(MyWeb, {
            metadata: key,
            spec: { image: IMAGE, pageContentHtml: page },
          });
        } else if (draw(4) === 0) {
          expected.delete(name);
          await client.delete(MyWeb, key);
          return;
        } else {
          const web = await client.get(MyWeb, key);
          await client.update(MyWeb, { ...web, spec: { ...web.spec, pageContentHtml: page } });
        }
        expected.set(name, page);
      };

      for (let index = 0; index < WEBS; index++) {
        const name = nameOf(index);
        expected.set(name, name);
        const metadata = { namespace: "default", name };
        await client.create(MyWeb, { metadata, spec: { image: IMAGE, pageContentHtml: name } });
      }
      for (let passedMs = 0; passedMs < FAULTY_MS; passedMs += 500) {
        await advance(500);
        await change();
        if (draw(4) === 0) {
          cluster.dropConnections();
          dropped++;
        }
        if (draw(10) === 0) cluster.compact();
      }
      transport.healthy = true;
      await advance(120_000, 500);
      await cluster.settle();
      await advance(5000);

      const named = (resource: string): Map<string, SentObject> =>
        new Map(
          cluster.objects(resource, "default").map((object) => [object.metadata.name!, object]),
        );
      const webs = named("mywebs.operator.k8s-summit.org");
      expect([...webs.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const resource of ["configmaps", "services", "deployments.apps"]) {
        const made = [...named(resource).values()].filter(
          ({ metadata }) => metadata.ownerReferences,
        );
        expect(made.map(({ metadata }) => metadata.name).sort(), resource).toEqual(
          [...expected.keys()].sort(),
        );
        for (const { metadata } of made) {
          const owner = webs.get(metadata.name!)?.metadata.uid;
          expect(metadata.ownerReferences?.[0]?.uid, `${resource} ${metadata.name!}`).toBe(owner);
        }
      }
      for (const [name, page] of expected) {
        expect(named("configmaps").get(name)).toMatchObject({ data: { "index.html": page } });
        expect(webs.get(name)).toMatchObject({ status: { readyReplicas: 0 } });
      }
      expect(dropped).toBeGreaterThan(10);
      for (const fault of ["refuse", "reset", "cut", "429", "500"]) {
        expect(transport.counts[fault], fault).toBeGreaterThan(5);
      }
      stop.abort();
      await advance(1000);
      await running;
    },
  );
});
