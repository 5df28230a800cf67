/** Some minutes in the life of a cluster of databases, in which much goes wrong. */
import {
  createManager,
  findCondition,
  mergePatch,
  type Client,
  type ClusterConfig,
  type Manager,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "tsop";
import { EndpointSlice, Pod } from "tsop/k8s";
import {
  clientFor,
  faults,
  installOperator,
  silentLogger,
  startControlPlane,
  type ControlPlane,
  type VirtualClock,
} from "tsop/testing";
import { PostgreSQLCluster } from "../src/api/v1/postgresqlcluster.ts";
import type { Instances } from "../src/controllers/instances.ts";
import { setUpPostgreSQLCluster } from "../src/controllers/postgresqlcluster-controller.ts";
import { SimulatedNodes } from "./simulated-nodes.ts";

const NODES = ["node-1", "node-2", "node-3", "node-4"];
export const key = { namespace: "default", name: "shop" };
const BAD_NETWORK = { refuse: 0.02, reset: 0.03, cut: 0.01, status: { 429: 0.02, 500: 0.02 } };

/** A process that is killed sends nothing more; what it sent may still arrive. */
class MortalTransport implements Transport {
  readonly server: string;
  readonly #inner: Transport;
  isDead = false;

  constructor(inner: Transport) {
    this.#inner = inner;
    this.server = inner.server;
  }

  get clock() {
    return this.#inner.clock;
  }

  get isQuiet() {
    return this.#inner.isQuiet;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.isDead) throw new Error("killed");
    return this.#inner.request(request);
  }

  close(): void {
    this.#inner.close();
  }
}

/** An operator as a process: it can be killed. */
export class Operator {
  readonly manager: Manager;
  readonly #transport: MortalTransport;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(transport: Transport, instances: Instances) {
    this.#transport = new MortalTransport(transport);
    this.manager = createManager({ transport: this.#transport, log: silentLogger });
    setUpPostgreSQLCluster(this.manager, instances);
    this.#running = this.manager.start(this.#stop.signal);
  }

  get isAlive(): boolean {
    return !this.#stop.signal.aborted;
  }

  kill(): void {
    this.#transport.isDead = true;
    this.#stop.abort();
  }

  stop(): void {
    this.#stop.abort();
  }

  async ended(): Promise<void> {
    // One that was killed cannot end in good order.
    await this.#running.catch(() => undefined);
  }
}

/** A control plane without nodes of its own, and nodes with databases. */
export interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: ControlPlane;
  readonly client: Client;
  readonly nodes: SimulatedNodes;
  /** The access of the operator. */
  readonly config: ClusterConfig;
}

export async function createWorld(clock: VirtualClock): Promise<World> {
  const cluster = await startControlPlane({ clock, listen: false, controllers: "no-kubelet" });
  const config = await installOperator(cluster);
  const nodes = new SimulatedNodes(cluster, clock, NODES);
  await nodes.start();
  return {
    clock,
    cluster,
    client: clientFor(cluster),
    nodes,
    config,
    async [Symbol.asyncDispose]() {
      nodes.stop();
      await clock.advance(10_000);
      await cluster.stop();
    },
  };
}

/** Which pods a Service leads to. */
export async function targetsOf(client: Client, service: string): Promise<string[]> {
  const labels = { "kubernetes.io/service-name": service };
  const slices = await client.list(EndpointSlice, { namespace: key.namespace, labels });
  return slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready)
    .flatMap(({ targetRef }) => targetRef?.name ?? [])
    .sort();
}

/** What a run came to. */
export interface Run {
  /** Moments at which two databases accepted writes. */
  readonly violations: readonly string[];
  readonly promotions: number;
  /** What went wrong, in order. */
  readonly troubles: readonly string[];
}

/** @throws Error when the cluster does not come to rest after all of it */
export async function simulate(clock: VirtualClock): Promise<Run> {
  await using world = await createWorld(clock);
  const trouble = new Trouble(world);
  trouble.startOperator();
  await world.client.create(PostgreSQLCluster, {
    metadata: key,
    spec: { bootstrap: { initdb: { database: "shop", owner: "shop" } } },
  });
  await clock.advance(60_000);
  for (let round = 0; round < 12; round++) {
    await trouble.happen();
    await clock.advance(3000 + 40_000 * clock.random());
  }
  await trouble.end();
  const { violations, promotions } = world.nodes;
  return { violations, promotions, troubles: trouble.troubles };
}

class Trouble {
  readonly troubles: string[] = [];
  readonly #world: World;
  readonly #operators: Operator[] = [];
  readonly #networks: { healthy: boolean }[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  startOperator(): void {
    const { config, nodes, clock } = this.#world;
    const network = faults(config, { ...BAD_NETWORK, delayMs: 200 + 2000 * clock.random() });
    this.#networks.push(network);
    this.#operators.push(new Operator(network, nodes));
  }

  async happen(): Promise<void> {
    const { nodes } = this.#world;
    const [primary] = nodes.primaries;
    const node = this.#any(NODES);
    const found = nodes.pods;
    const pods = found.length > 0 ? found : ["shop-1"];
    const pod = this.#happens(0.5) && primary !== undefined ? primary : this.#any(pods);
    await this.#any<() => unknown>([
      () => this.#note(`crash ${pod}`, () => nodes.crash(pod)),
      () => this.#note(`cut off ${node}`, () => nodes.set(node, "cut off")),
      () =>
        this.#note(`cut off the node of ${pod}`, () =>
          nodes.set(nodes.running.includes(pod) ? nodes.nodeOf(pod) : node, "cut off"),
        ),
      () => this.#note(`${node} is off`, () => this.#powerOff(node)),
      () => this.#note(`all nodes are up`, () => NODES.forEach((one) => nodes.set(one, "up"))),
      () => this.#note(`delete ${pod}`, () => this.#delete(pod)),
      () => this.#note(`delete ${pod} by force`, () => this.#delete(pod, 0)),
      () => this.#note(`kill the operator`, () => this.#killOperator()),
      () => this.#note(`a second operator`, () => this.#startSecond()),
      () => this.#note(`other settings`, () => this.#change({ postgresql: this.#settings() })),
      () => this.#note(`another size`, () => this.#change({ instances: this.#any([1, 2, 3, 5]) })),
      () => this.#note(`cut connections`, () => this.#world.cluster.dropConnections()),
      () => this.#note(`forget history`, () => this.#world.cluster.compact()),
    ])();
  }

  /** Everything is well again, and some time later all is as it is wanted. */
  async end(): Promise<void> {
    const { clock, client, nodes } = this.#world;
    for (const node of NODES) nodes.set(node, "up");
    for (const network of this.#networks) network.healthy = true;
    let isAtRest = false;
    for (let look = 0; look < 60 && !isAtRest; look++) {
      await clock.advance(20_000);
      isAtRest = await this.#isAtRest();
    }
    const { spec, status } = await client.get(PostgreSQLCluster, key);
    for (const operator of this.#operators) operator.stop();
    await clock.advance(120_000);
    for (const operator of this.#operators) await operator.ended();
    if (!isAtRest) {
      const now = JSON.stringify({ spec, status, primaries: nodes.primaries });
      throw new Error(`it does not come to rest after ${this.troubles.join(", ")}: ${now}`);
    }
  }

  async #isAtRest(): Promise<boolean> {
    const { client, nodes } = this.#world;
    const { spec, status, metadata } = await client.get(PostgreSQLCluster, key);
    const ready = findCondition(status?.conditions, "Ready");
    return (
      ready?.status === "True" &&
      status?.observedGeneration === metadata.generation &&
      status?.readyInstances === spec.instances &&
      nodes.primaries.length === 1 &&
      nodes.primaries[0] === status.primary?.pod &&
      (await targetsOf(client, "shop-rw")).join() === nodes.primaries[0]
    );
  }

  #killOperator(): void {
    for (const operator of this.#operators) operator.kill();
    this.startOperator();
  }

  /** As while a Deployment rolls: without leader election, both work. */
  #startSecond(): void {
    const [first, ...others] = this.#operators.filter(({ isAlive }) => isAlive);
    for (const operator of others) operator.stop();
    if (first) this.startOperator();
  }

  #settings(): { parameters: Record<string, string> } {
    return { parameters: { max_connections: String(this.#any([100, 200, 300])) } };
  }

  async #change(spec: object): Promise<void> {
    await this.#world.client.patch(PostgreSQLCluster, key, mergePatch({ spec }));
  }

  async #delete(name: string, gracePeriodSeconds?: number): Promise<void> {
    const { client } = this.#world;
    const pod = { ...key, name };
    if (await client.find(Pod, pod)) await client.delete(Pod, pod, { gracePeriodSeconds });
  }

  /** Somebody may say that it is off, and says so of no other node. */
  async #powerOff(node: string): Promise<void> {
    const { nodes } = this.#world;
    nodes.set(node, "off");
    if (this.#happens(0.5)) await nodes.takeOutOfService(node);
  }

  async #note(what: string, act: () => unknown): Promise<void> {
    this.troubles.push(what);
    await act();
  }

  #happens(probability: number): boolean {
    return this.#world.clock.random() < probability;
  }

  #any<T>(all: readonly T[]): T {
    const index = Math.floor(this.#world.clock.random() * all.length);
    const found = all[index];
    if (found === undefined) throw new Error("there is nothing to choose from");
    return found;
  }
}
