/** Ten virtual minutes of an operator on a bad network, and all that was said meanwhile as one hash. */
import { createHash, type Hash } from "node:crypto";
import { controllerFor, createManager } from "../../src/index.ts";
import { ConfigMap, Deployment, Secret } from "../../src/k8s.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from "../../src/runtime/transport/transport.ts";
import {
  clientFor,
  FaultyTransport,
  inProcess,
  silentLogger,
  startControlPlane,
  VirtualClock,
} from "../../src/testing.ts";

const KINDS = [
  "configmaps",
  "secrets",
  "serviceaccounts",
  "nodes",
  "services",
  "events",
  "pods",
  "deployments.apps",
  "replicasets.apps",
  "leases.coordination.k8s.io",
];

/** Notes each request, and each piece of each answer, with its time. */
class NotingTransport implements Transport {
  readonly server: string;
  readonly clock: VirtualClock;
  readonly #inner: Transport;
  readonly #hash: Hash;
  requests = 0;

  constructor(inner: Transport, clock: VirtualClock, hash: Hash) {
    this.server = inner.server;
    this.clock = clock;
    this.#inner = inner;
    this.#hash = hash;
  }

  get isQuiet(): boolean | undefined {
    return this.#inner.isQuiet;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, body = "" } = request;
    this.requests++;
    this.#note(`${method} ${path} ${body}`);
    const response = await this.#inner.request(request);
    this.#note(`${response.status} ${JSON.stringify(response.headers)}`);
    return { ...response, body: this.#pieces(response.body) };
  }

  close(): void {
    this.#inner.close();
  }

  async *#pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      this.#note(Buffer.from(piece).toString());
      yield piece;
    }
  }

  #note(text: string): void {
    this.#hash.update(`${this.clock.now()} ${text}\n`);
  }
}

/** What a run came to. */
export interface Run {
  readonly digest: string;
  readonly requests: number;
  readonly pods: number;
}

/** Runs it once. */
export async function simulate(seed: number): Promise<Run> {
  const clock = new VirtualClock({ seed, shuffle: true });
  const hash = createHash("sha256");
  await using cluster = await startControlPlane({ clock, listen: false });
  const network = new FaultyTransport(inProcess(cluster), clock, {
    refuse: 0.02,
    reset: 0.03,
    cut: 0.02,
    status: { 429: 0.03, 500: 0.03 },
    delayMs: 50,
  });
  const transport = new NotingTransport(network, clock, hash);
  const manager = createManager({
    transport,
    log: silentLogger,
    // A network as bad as this one fails four renewals in a row now and then: the lead must outlast more of them.
    leaderElection: {
      id: "simulation",
      identity: "one",
      leaseDurationMs: 60_000,
      renewDeadlineMs: 45_000,
    },
  });
  const { client } = manager;
  const recorder = manager.recorder("simulation");
  controllerFor(manager)
    .for(ConfigMap)
    .owns(Deployment)
    .complete({
      async reconcile({ key }) {
        const config = await client.find(ConfigMap, key);
        if (!config || config.data?.["app"] === undefined) return;
        const labels = { app: key.name };
        await client.apply(
          Deployment,
          {
            metadata: { ...key, labels },
            spec: {
              replicas: 2,
              selector: { matchLabels: labels },
              template: {
                metadata: { labels },
                spec: { containers: [{ name: "app", image: config.data["app"] }] },
              },
            },
          },
          { owner: config },
        );
        recorder.event(config, { type: "Normal", reason: "Applied", message: "again" });
        return { requeueAfterMs: 60_000 * (1 + clock.random()) };
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(5000);
  const user = clientFor(cluster);
  const account = { "kubernetes.io/service-account.name": "default" };
  await user.create(Secret, {
    metadata: { namespace: "default", name: "token", annotations: account },
    type: "kubernetes.io/service-account-token",
  });
  const names: string[] = [];
  for (let round = 0; round < 3; round++) {
    const { metadata } = await user.create(ConfigMap, {
      metadata: { namespace: "default", generateName: "app-" },
      data: { app: `web:${round}` },
    });
    names.push(metadata.name);
    await clock.advance(60_000);
  }
  cluster.dropConnections();
  await user.delete(ConfigMap, { namespace: "default", name: names[0] ?? "" });
  await clock.advance(60_000);
  cluster.compact();
  await clock.advance(300_000);
  stop.abort();
  // What is under way may wait for an answer of the bad network.
  await clock.advance(120_000);
  await running;
  for (const kind of KINDS) hash.update(JSON.stringify(cluster.objects(kind)));
  const pods = cluster.objects("pods").length;
  return { digest: hash.digest("hex"), requests: transport.requests, pods };
}
