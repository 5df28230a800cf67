/**
 * T38, T39 and T53, which run in virtual time elsewhere, once more with real processes: what the lead, or a shard, is worth to
 * a main thread that is busy or stopped. They take as long as a Lease lasts, and that must be long enough for a slow machine.
 */
import { fork, type ChildProcess } from "node:child_process";
import { get } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createManager, loadClusterConfig } from "../../../src/index.ts";
import { ConfigMap, Lease } from "../../../src/k8s.ts";
import {
  clientFor,
  silentLogger,
  startControlPlane,
  type ControlPlane,
} from "../../../src/testing.ts";
import { bundled } from "../../support/bundled.ts";
import { eventually } from "../../support/eventually.ts";
import { TIMES, type News, type Order } from "./operator.ts";

const SLOW = { timeoutMs: 60_000, intervalMs: 50 };
const LONG = { timeout: 150_000 };

describe("a leader's main thread", () => {
  let cluster: ControlPlane;
  let program: Awaited<ReturnType<typeof bundled>>;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: "off" });
    program = await bundled("test/runtime/side-thread/operator.ts");
  });

  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await cluster.stop();
    program.remove();
  });

  /** Starts an operator with a Lease of its own, and waits until it leads. */
  async function start(lease: string, { stuckAfterMs = 60_000, sharded = false } = {}) {
    const child = fork(program.path);
    children.add(child);
    const news: News[] = [];
    child.on("message", (message: News) => news.push(message));
    const tell = (order: Order): void => {
      child.send(order);
    };
    const heard = <T extends News["type"]>(type: T): Promise<Extract<News, { type: T }>> =>
      eventually(() => {
        const found = news.find((one) => one.type === type);
        if (!found) throw new Error(`the operator has not said ${type}`);
        return found as Extract<News, { type: T }>;
      }, SLOW);
    tell({ type: "start", kubeconfig: cluster.kubeconfig, lease, stuckAfterMs, sharded });
    await heard("leading");
    const { port } = await heard("listening");
    return { child, tell, heard, probe: () => probe(port) };
  }

  function probe(port: number): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/healthz", agent: false }, (response) => {
        let body = "";
        response.on("data", (piece: Buffer) => (body += piece.toString()));
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, body });
        });
      }).on("error", reject);
    });
  }

  /** Somebody else who wants to lead, in this process. */
  function follower(lease: string) {
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      leaderElection: { id: lease, identity: "second", ...TIMES },
    });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    return {
      elected: manager.elected,
      end: async () => {
        stop.abort();
        await running;
      },
    };
  }

  const leaseSpec = async (name: string) =>
    (await clientFor(cluster).get(Lease, { namespace: "default", name })).spec;
  const writtenUnder = async (lease: string): Promise<number> => {
    const all = await clientFor(cluster).list(ConfigMap, { namespace: "default" });
    return all.filter(({ metadata }) => metadata.name.startsWith(`${lease}-`)).length;
  };

  it.concurrent("leads on when it was busy for longer than the Lease lasts", LONG, async () => {
    const { tell, heard, probe } = await start("busy");
    expect(await probe()).toEqual({ status: 200, body: "ok" });
    tell({ type: "block", forMs: TIMES.leaseDurationMs + 1000 });
    await eventually(async () => {
      expect(await probe()).toMatchObject({ status: 200, body: expect.stringContaining("busy") });
    }, SLOW);
    await heard("unblocked");
    expect(await leaseSpec("busy")).toMatchObject({
      holderIdentity: "first",
      leaseTransitions: 0,
    });
    tell({ type: "write" });
    await heard("wrote");
  });

  it.concurrent("keeps its keys when it was busy for that long, and knows it", LONG, async () => {
    const { tell, heard } = await start("shards", { sharded: true });
    const manager = createManager({
      config: loadClusterConfig({ kubeconfigText: cluster.kubeconfig }),
      log: silentLogger,
      sharding: { id: "shards", identity: "second", ...TIMES },
    });
    const stop = new AbortController();
    const running = manager.start(stop.signal);
    const both = ["first", "second"];
    await eventually(() => {
      expect(manager.shards?.members).toEqual(both);
    }, SLOW);
    const seen = new Set<string>();
    manager.shards?.onChange(() => seen.add(manager.shards?.members.join() ?? ""), stop.signal);
    tell({ type: "block", forMs: TIMES.leaseDurationMs + 2500 });
    await heard("unblocked");
    tell({ type: "write" });
    await heard("wrote");
    expect(new Set([...seen, manager.shards?.members.join()])).toEqual(new Set(["first,second"]));
    stop.abort();
    await running;
  });

  it.concurrent("loses the lead, and its health, when it is stuck", LONG, async () => {
    const { tell, probe } = await start("stuck", { stuckAfterMs: 1500 });
    const next = follower("stuck");
    tell({ type: "block", forMs: 2 ** 31 - 1 });
    await next.elected;
    expect(await probe()).toMatchObject({
      status: 500,
      body: expect.stringContaining("main-thread failed"),
    });
    await next.end();
  });

  it.concurrent("writes nothing when its process was stopped and woken up", LONG, async () => {
    const { tell, heard, child } = await start("stopped");
    tell({ type: "write" });
    await heard("wrote");
    child.kill("SIGSTOP");
    const next = follower("stopped");
    await next.elected;
    const before = await writtenUnder("stopped");
    expect(before).toBeGreaterThan(0);
    child.kill("SIGCONT");
    expect(await heard("ended")).toMatchObject({ code: "leadership-lost" });
    expect(await writtenUnder("stopped")).toBe(before);
    await next.end();
  });
});
