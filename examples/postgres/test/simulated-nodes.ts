/**
 * Nodes with databases: what kubelets, a scheduler and the network do to the members, on virtual time. Each moment at which two
 * databases accept writes is noted.
 */
import { findCondition, keyOf, mergePatch, setCondition, type Client, type SentObject } from "tsop";
import { Node, Pod, type Taint } from "tsop/k8s";
import { clientFor, type ControlPlane, type VirtualClock } from "tsop/testing";
import type { Instances } from "../src/controllers/instances.ts";

const TICK_MS = 2000;
const START_MS = 2000;
/** After this the cluster takes a node that is not heard of for lost. */
const LOST_MS = 40_000;
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** `cut off`: what runs there goes on, and nobody hears of it. */
export type NodeState = "up" | "cut off" | "off";

interface Database {
  readonly uid: string;
  readonly pod: string;
  readonly node: string;
  readonly claim: string;
  isRunning: boolean;
  acceptsWrites: boolean;
}

interface SimulatedNode {
  readonly name: string;
  state: NodeState;
  sinceMs: number;
}

/** The databases of a namespace, and the nodes that they run on. */
export class SimulatedNodes implements Instances {
  /** Moments at which two databases accepted writes. */
  readonly violations: string[] = [];
  /** How many times a database was promoted. */
  promotions = 0;
  readonly #clock: VirtualClock;
  readonly #cluster: ControlPlane;
  readonly #client: Client;
  readonly #nodes: SimulatedNode[];
  readonly #databases = new Map<string, Database>();
  /** The node that has the data of a claim, and how much of the log is in it. */
  readonly #data = new Map<string, { readonly node: string; position: number }>();
  #isStopped = false;

  constructor(cluster: ControlPlane, clock: VirtualClock, names: readonly string[]) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#client = clientFor(cluster);
    this.#nodes = names.map((name) => ({ name, state: "up", sinceMs: clock.now() }));
  }

  /** Registers the nodes, and lets them live until `stop`. */
  async start(): Promise<void> {
    for (const { name } of this.#nodes) await this.#client.create(Node, { metadata: { name } });
    void this.#live();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The databases that accept writes, by the names of their pods. */
  get primaries(): string[] {
    return this.#accepting().map(({ pod }) => pod);
  }

  /** The databases that run, by the names of their pods. */
  get running(): string[] {
    return this.#running().map(({ pod }) => pod);
  }

  /** The names of all pods of the cluster. */
  get pods(): string[] {
    return this.#pods().map(({ metadata }) => metadata.name);
  }

  /** Where a pod runs. @throws Error where it does not */
  nodeOf(pod: string): string {
    const running = this.#running().find((one) => one.pod === pod);
    if (!running) throw new Error(`${pod} does not run`);
    return running.node;
  }

  /** The pods of the cluster, as they are now. */
  #pods(): readonly Pod[] {
    return this.#cluster.objects("pods").filter(isPod);
  }

  /** Has a member be ahead of the others. */
  advanceLog(pod: string): void {
    const data = this.#data.get(pod);
    if (data) data.position += 1000;
  }

  /** Ends the database in a pod, as a crash does. */
  crash(pod: string): void {
    const database = this.#running().find((one) => one.pod === pod);
    if (database) database.isRunning = false;
  }

  /** What runs on a node that is off has ended. */
  set(node: string, state: NodeState): void {
    const found = this.#nodes.find(({ name }) => name === node);
    if (!found) throw new Error(`there is no node ${node}`);
    found.state = state;
    found.sinceMs = this.#clock.now();
    if (state !== "off") return;
    for (const one of this.#running()) if (one.node === node) one.isRunning = false;
  }

  /** What somebody does who knows that a node is off. */
  async takeOutOfService(node: string): Promise<void> {
    const taint = { key: OUT_OF_SERVICE, value: "nodeshutdown", effect: "NoExecute" } as const;
    await this.#setTaints(node, (taints) => [
      ...taints.filter((other) => other.key !== taint.key),
      taint,
    ]);
  }

  async position(pod: Pod): Promise<number> {
    const database = await this.#reach(pod.metadata.name);
    return this.#data.get(database.pod)?.position ?? 0;
  }

  /** The command finds its pod by the name, whenever it comes, and whatever became of who sent it. */
  async promote(pod: Pod): Promise<void> {
    const database = await this.#reach(pod.metadata.name);
    if (database.uid !== pod.metadata.uid) throw new Error(`this is pod ${database.uid}`);
    if (!database.acceptsWrites) {
      database.acceptsWrites = true;
      this.promotions++;
    }
    const primaries = this.primaries;
    if (primaries.length > 1) {
      this.violations.push(`${new Date(this.#clock.now()).toISOString()} ${primaries.join(", ")}`);
    }
    if (this.#clock.random() < 0.1) throw new Error("the answer was lost");
  }

  async #reach(pod: string): Promise<Database> {
    await this.#clock.sleep(2000 * this.#clock.random());
    const database = this.#running().find((one) => one.pod === pod);
    if (database && this.#stateOf(database.node) === "up") return database;
    await this.#clock.sleep(5000);
    throw new Error(`pod ${pod} does not answer`);
  }

  #running(): Database[] {
    return [...this.#databases.values()].filter(({ isRunning }) => isRunning);
  }

  #accepting(): Database[] {
    return this.#running().filter(({ acceptsWrites }) => acceptsWrites);
  }

  #stateOf(node: string): NodeState | undefined {
    return this.#nodes.find(({ name }) => name === node)?.state;
  }

  async #live(): Promise<void> {
    while (!this.#isStopped) {
      await this.#clock.sleep(TICK_MS * (0.5 + this.#clock.random()));
      this.#write();
      for (const node of this.#nodes) await this.#watchOver(node);
      for (const pod of this.#pods()) {
        // Others may have been faster: the next round sees it.
        await this.#care(pod).catch(() => undefined);
      }
    }
  }

  /** The primary writes, and those that reach it follow. */
  #write(): void {
    for (const { claim, node } of this.#accepting()) {
      const data = this.#data.get(claim);
      if (!data) continue;
      data.position++;
      if (this.#stateOf(node) !== "up") continue;
      for (const follower of this.#running()) {
        const copy = this.#data.get(follower.claim);
        if (!copy || follower.acceptsWrites || this.#stateOf(follower.node) !== "up") continue;
        if (this.#clock.random() < 0.8) copy.position = Math.max(copy.position, data.position);
      }
    }
  }

  /** What the controllers of nodes say of one that is not heard of, and of one that is back. */
  async #watchOver({ name, state, sinceMs }: SimulatedNode): Promise<void> {
    const node = this.#nodeObject(name);
    const known = findCondition(node.status?.conditions, "Ready")?.status;
    const isLost = state !== "up" && this.#clock.now() - sinceMs >= LOST_MS;
    const status = isLost ? "Unknown" : "True";
    if (state === "up" && node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE)) {
      await this.#setTaints(name, (taints) => taints.filter(({ key }) => key !== OUT_OF_SERVICE));
      return;
    }
    if (status === known || (state !== "up" && !isLost)) return;
    const ready = { type: "Ready", status, reason: "Heard", message: state } as const;
    const conditions = setCondition([], ready, this.#clock.now());
    await this.#client.status.patch(node, { conditions }, { optimisticLock: false });
    if (!isLost) return;
    for (const pod of this.#pods()) {
      if (pod.spec?.nodeName === name) await this.#report(pod, "Running", false);
    }
  }

  async #setTaints(name: string, change: (taints: Taint[]) => Taint[]): Promise<void> {
    const taints = change(this.#nodeObject(name).spec?.taints ?? []);
    await this.#client.patch(Node, { name }, mergePatch({ spec: { taints } }));
  }

  #nodeObject(name: string): Node {
    const found = this.#cluster
      .objects("nodes")
      .filter(isNode)
      .find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`there is no node ${name}`);
    return found;
  }

  /** What the scheduler and the kubelet do with a pod. */
  async #care(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    const node = pod.spec?.nodeName;
    if (node === undefined) return isLeaving ? undefined : this.#schedule(pod);
    if (this.#stateOf(node) !== "up") return;
    const { phase } = pod.status ?? {};
    if (phase === "Succeeded" || phase === "Failed") {
      if (isLeaving) await this.#client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 });
      return;
    }
    const isOfJob = pod.metadata.ownerReferences?.some(({ kind }) => kind === "Job");
    const database = this.#databases.get(uid);
    if (isOfJob || (isLeaving && !database)) return this.#report(pod, "Succeeded", false);
    if (!database) return this.#begin(pod, node);
    if (isLeaving) database.isRunning = false;
    if (database.isRunning) return this.#report(pod, "Running", true);
    return this.#report(pod, isLeaving ? "Succeeded" : "Failed", false);
  }

  async #schedule(pod: Pod): Promise<void> {
    const { name, namespace } = pod.metadata;
    const up = this.#nodes.filter(({ state }) => state === "up");
    const place = this.#data.get(name)?.node;
    const fits = up.filter((node) => place === undefined || node.name === place);
    const node = fits[Math.floor(this.#clock.random() * fits.length)];
    if (!node) return;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace },
      target: { apiVersion: "v1", kind: "Node", name: node.name },
    };
    await this.#client.subresource("binding").create(Pod, keyOf(pod), body);
  }

  async #begin(pod: Pod, node: string): Promise<void> {
    const { uid, name, creationTimestamp } = pod.metadata;
    if (this.#clock.now() - Date.parse(creationTimestamp) < START_MS) return;
    if (!this.#data.has(name)) this.#data.set(name, { node, position: 0 });
    const database = { uid, pod: name, node, claim: name, isRunning: true, acceptsWrites: false };
    this.#databases.set(uid, database);
    await this.#report(pod, "Running", true);
  }

  async #report(pod: Pod, phase: "Running" | "Succeeded" | "Failed", isReady: boolean) {
    const status = isReady ? "True" : "False";
    const known = pod.status?.conditions?.find(({ type }) => type === "Ready");
    if (pod.status?.phase === phase && known?.status === status) return;
    const ready = { type: "Ready", status, reason: phase, message: "" } as const;
    const conditions = setCondition([], ready, this.#clock.now());
    const podIP = `10.0.0.${this.#databases.size % 250}`;
    const addresses = pod.status?.podIP === undefined && { podIP, podIPs: [{ ip: podIP }] };
    await this.#client.status.patch(pod, { phase, conditions, ...addresses });
  }
}

function isPod(object: SentObject): object is Pod {
  return object.kind === "Pod";
}

function isNode(object: SentObject): object is Node {
  return object.kind === "Node";
}
