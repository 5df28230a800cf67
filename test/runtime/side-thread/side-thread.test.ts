import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, get, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock, VirtualClock, type Clock } from "../../../src/clock.ts";
import type { TsopError } from "../../../src/errors.ts";
import { SIDE_THREAD_PROGRAM } from "../../../src/generated/side-thread-program.ts";
import { silentLogger } from "../../../src/log.ts";
import type { SideThreadSettings } from "../../../src/runtime/side-thread/protocol.ts";
import { SideThread, type SideThreadParts } from "../../../src/runtime/side-thread/side-thread.ts";
import type { CredentialRecipe } from "../../../src/runtime/transport/credentials/credentials.ts";
import { eventually } from "../../support/eventually.ts";

const SLOW = { timeoutMs: 50_000 };
const LONG = { timeout: 120_000 };

/** Knows one token at a time, and has room for one Lease. */
class LeaseServer {
  token = "one";
  readonly accepted = new Set<string>();
  lease: unknown;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const { method, headers, url = "" } = request;
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        const known = headers.authorization === `Bearer ${this.token}`;
        const found = method !== "GET" || this.lease !== undefined;
        if (known) this.accepted.add(this.token);
        if (known && method === "DELETE") this.lease = undefined;
        else if (known && method !== "GET" && !url.includes("/events")) {
          this.lease = JSON.parse(body) as unknown;
        }
        const code = !known ? 401 : found ? 200 : 404;
        const details = { name: "web", kind: "leases" };
        const status = { kind: "Status", status: "Failure", code, reason: REASONS[code], details };
        response.writeHead(code, { "Content-Type": "application/json" });
        response.end(JSON.stringify(code === 200 ? (this.lease ?? {}) : status));
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const FIRST_TOKEN = { token: "one" };
const REASONS: Readonly<Record<number, string>> = { 401: "Unauthorized", 404: "NotFound" };

describe("the side thread", () => {
  let server: LeaseServer;
  let url: string;
  let folder: string;

  beforeEach(async () => {
    server = new LeaseServer();
    url = await server.start();
    folder = mkdtempSync(join(tmpdir(), "tsop-thread-"));
  });

  afterEach(() => {
    server.stop();
    rmSync(folder, { recursive: true });
  });

  function settings(credentials: CredentialRecipe): SideThreadSettings {
    const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 50 };
    const key = { namespace: "default", name: "web" };
    return {
      stuckAfterMs: 30_000,
      lease: {
        cluster: { server: url, namespace: "default" },
        credentials,
        name: "test",
        isFollowed: false,
      },
      election: { ...times, stuckAfterMs: 30_000, key, identity: "one" },
    };
  }

  function shardSettings(): SideThreadSettings {
    const { lease, stuckAfterMs } = settings({ kind: "fixed", credentials: FIRST_TOKEN });
    const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 50 };
    const shard = { ...times, id: "web", namespace: "default", identity: "one" };
    return { stuckAfterMs, ...(lease && { lease }), shard };
  }

  function build(
    given: SideThreadSettings,
    program = SIDE_THREAD_PROGRAM,
    clock: Clock = systemClock,
    access: SideThreadParts["access"] = () => Promise.resolve(undefined),
  ) {
    const failures: TsopError[] = [];
    const exchanges: string[] = [];
    const told: string[] = [];
    const note = (message: object | string): void => {
      told.push(typeof message === "string" ? message : JSON.stringify(message));
    };
    const thread = new SideThread(given, {
      clock,
      log: { ...silentLogger, error: note },
      program,
      observe: (method, code) => exchanges.push(`${method} ${code}`),
      probe: (asked) => Promise.resolve({ status: 200, body: asked }),
      access,
      failed: (error) => failures.push(error),
    });
    return { thread, failures, exchanges, told };
  }

  const forever = new AbortController().signal;

  it("renews the Lease with a token from a file that changes", async () => {
    const path = join(folder, "token");
    writeFileSync(path, "one\n");
    const { thread, exchanges } = build(settings({ kind: "token-file", path }));
    await thread.start();
    await thread.acquire(forever);
    writeFileSync(path, "two\n");
    server.token = "two";
    await eventually(() => {
      expect([...server.accepted]).toEqual(["one", "two"]);
    }, SLOW);
    const term = thread.term.endsAtMs!;
    expect(term).toBeGreaterThan(systemClock.monotonicMs());
    await eventually(() => {
      expect(thread.term.endsAtMs).toBeGreaterThan(term);
    }, SLOW);
    expect(exchanges).toContain("PUT 401");
    await thread.release();
    expect(server.lease).toMatchObject({ spec: { holderIdentity: "" } });
    expect(thread.term.endsAtMs).toBeLessThan(systemClock.monotonicMs());
    await thread.stop();
  });

  it("renews the Lease at the server and with the user of a renewed configuration", async () => {
    const { lease, ...rest } = settings({ kind: "fixed", credentials: FIRST_TOKEN });
    if (!lease) throw new Error("there is no access to the Lease");
    let access = { cluster: lease.cluster, credentials: lease.credentials };
    const asked: boolean[] = [];
    const followed = { ...rest, lease: { ...lease, isFollowed: true } };
    const { thread } = build(followed, SIDE_THREAD_PROGRAM, systemClock, (isStale) => {
      asked.push(isStale);
      return Promise.resolve(access);
    });
    await thread.start();
    await thread.acquire(forever);
    const moved = new LeaseServer();
    moved.token = "two";
    moved.lease = server.lease;
    access = {
      cluster: { ...lease.cluster, server: await moved.start() },
      credentials: { kind: "fixed", credentials: { token: "two" } },
    };
    server.stop();
    const term = thread.term.endsAtMs!;
    await eventually(() => {
      expect(thread.term.endsAtMs).toBeGreaterThan(term + 1000);
      expect([...moved.accepted]).toEqual(["two"]);
    }, SLOW);
    expect(asked).toContain(true);
    await thread.stop();
    moved.stop();
  });

  it("renews the Lease with the tokens of a program", async () => {
    const path = join(folder, "token");
    writeFileSync(path, "one");
    const apiVersion = "client.authentication.k8s.io/v1";
    const script = `const token = require("fs").readFileSync(${JSON.stringify(path)}, "utf8");
console.log(JSON.stringify({ apiVersion: "${apiVersion}", kind: "ExecCredential", status: { token } }));`;
    const config = { apiVersion, command: process.execPath, args: ["-e", script] };
    const { thread } = build(settings({ kind: "exec", config, environment: {} }));
    await thread.start();
    await thread.acquire(forever);
    writeFileSync(path, "two");
    server.token = "two";
    await eventually(() => {
      expect([...server.accepted]).toEqual(["one", "two"]);
    }, SLOW);
    await thread.stop();
  });

  it("renews the Lease of a shard while the main thread says nothing, until it is withdrawn", async () => {
    const { thread } = build(shardSettings());
    await thread.start();
    expect(thread.endsAtMs).toBeUndefined();
    await thread.publish(["one", "two"], true);
    const term = thread.endsAtMs!;
    expect(term).toBeGreaterThan(systemClock.monotonicMs());
    await eventually(() => {
      expect(thread.endsAtMs).toBeGreaterThan(term);
    }, SLOW);
    expect(server.lease).toMatchObject({
      metadata: { annotations: { "tsop.dev/ring": "one,two" } },
      spec: { holderIdentity: "one" },
    });
    server.token = "another";
    await expect(thread.publish(["one"], false)).rejects.toMatchObject({
      message: expect.stringContaining("Unauthorized"),
    });
    server.token = "one";
    await thread.withdraw();
    expect(server.lease).toBeUndefined();
    await thread.stop();
    await expect(thread.publish(["one"], false)).rejects.toMatchObject({
      code: "side-thread-ended",
    });
  });

  it("renews no shard of a main thread that never moves again", async () => {
    // Time stands still there: it shows no sign of life after the first.
    const stuck = { ...shardSettings(), stuckAfterMs: 500 };
    const { thread } = build(stuck, SIDE_THREAD_PROGRAM, new VirtualClock());
    await thread.start();
    await thread.publish(["one"], true);
    await eventually(async () => {
      const before = thread.endsAtMs;
      await systemClock.sleep(500);
      expect(thread.endsAtMs).toBe(before);
    }, SLOW);
    await thread.stop();
  });

  it("costs the lead when its term ends without a word from it", async () => {
    const program = `const { parentPort, workerData } = require("node:worker_threads");
parentPort.postMessage({ type: "ready" });
parentPort.on("message", () => {
  new BigInt64Array(workerData.memory)[0] = process.hrtime.bigint() / 1000n + 200_000n;
  parentPort.postMessage({ type: "acquired" });
});`;
    const { thread } = build(settings({ kind: "fixed", credentials: {} }), program);
    await thread.start();
    await thread.acquire(forever);
    await expect(thread.hold(forever)).rejects.toMatchObject({ code: "leadership-lost" });
    await thread.stop();
  });

  it("costs the lead when it ends by itself, and says why", async () => {
    const program = `const { parentPort } = require("node:worker_threads");
parentPort.postMessage({ type: "ready" });
parentPort.on("message", () => {
  new BigInt64Array(require("node:worker_threads").workerData.memory)[0] = 2n ** 60n;
  parentPort.postMessage({ type: "acquired" });
  setTimeout(() => { throw new Error("out of order"); }, 200);
});`;
    const { thread, failures } = build(settings({ kind: "fixed", credentials: {} }), program);
    await thread.start();
    await thread.acquire(forever);
    const lost = { code: "leadership-lost", message: expect.stringContaining("out of order") };
    await expect(thread.hold(forever)).rejects.toMatchObject(lost);
    expect(failures).toMatchObject([lost]);
    await thread.release();
    await thread.stop();
  });

  it("is started again when it only answers probes, and ends the process when that does not help", async () => {
    const health = { port: 0, host: "127.0.0.1" };
    const program = `require("node:worker_threads").parentPort.postMessage({ type: "ready" }); setTimeout(() => process.exit(3), 10);`;
    const clock = new VirtualClock();
    const { thread, failures, told } = build({ stuckAfterMs: 30_000, health }, program, clock);
    await thread.start();
    for (let restart = 1; restart <= 5; restart++) {
      await eventually(() => {
        expect(told).toHaveLength(restart);
      }, SLOW);
      expect(failures).toEqual([]);
      await clock.advance(1000);
    }
    const ended = "The thread that answers the probes has exited (exit code 3)";
    expect(told).toEqual(Array.from({ length: 5 }, () => `${ended}; it is started again.`));
    await eventually(() => {
      expect(failures).toMatchObject([
        { code: "side-thread-ended", message: expect.stringContaining(ended) },
      ]);
    }, SLOW);
    await thread.stop();
  });

  it("answers the probes at the same port after it was started again", LONG, async () => {
    const health = { port: 0, host: "127.0.0.1" };
    // The first ends by what nobody foresaw; it has no other way to know that it is the first.
    const program = `${SIDE_THREAD_PROGRAM}
;if (require("node:worker_threads").workerData.health.port === 0) setTimeout(() => { throw new Error("out of order"); }, 500);`;
    const { thread, failures, told } = build({ stuckAfterMs: 30_000, health }, program);
    await thread.start();
    const port = thread.healthPort!;
    await eventually(() => {
      expect(told).toEqual([expect.stringContaining("out of order")]);
    }, SLOW);
    await eventually(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([answer.status, await answer.text()]).toEqual([200, "/readyz"]);
    }, SLOW);
    expect(failures).toEqual([]);
    await thread.stop();
    await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow("fetch failed");
  });

  it("is not started again when somebody else has its port by then", async () => {
    const health = { port: 0, host: "127.0.0.1" };
    const program = `${SIDE_THREAD_PROGRAM}
;if (require("node:worker_threads").workerData.health.port === 0) setTimeout(() => process.exit(1), 50);`;
    const clock = new VirtualClock();
    const { thread, failures, told } = build({ stuckAfterMs: 30_000, health }, program, clock);
    await thread.start();
    const port = thread.healthPort!;
    await eventually(() => {
      expect(told).toHaveLength(1);
    }, SLOW);
    const other = createServer().listen(port, "127.0.0.1");
    await once(other, "listening");
    for (let restart = 1; restart <= 5; restart++) {
      await clock.advance(1000);
      await eventually(() => {
        expect(told.length + failures.length).toBe(restart + 1);
      }, SLOW);
    }
    expect(failures).toMatchObject([{ message: expect.stringContaining(String(port)) }]);
    await thread.stop();
    other.close();
  });

  it("serves the probes, and names a port that is in use", async () => {
    const one = build({ stuckAfterMs: 30_000, health: { port: 0, host: "127.0.0.1" } });
    await one.thread.start();
    const port = one.thread.healthPort!;
    const answer = await fetch(`http://127.0.0.1:${port}/healthz?verbose`);
    expect([answer.status, await answer.text()]).toEqual([200, "/healthz?verbose"]);
    const two = build({ stuckAfterMs: 30_000, health: { port, host: "127.0.0.1" } });
    await expect(two.thread.start()).rejects.toMatchObject({
      code: "port-in-use",
      message: expect.stringContaining(String(port)),
    });
    await two.thread.stop();
    await one.thread.stop();
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow("fetch failed");
    expect([...one.failures, ...two.failures]).toEqual([]);
  });

  it("goes on, whatever paths strangers ask for", LONG, async () => {
    const health = { port: 0, host: "127.0.0.1" };
    const { thread, failures } = build({ stuckAfterMs: 30_000, health });
    await thread.start();
    const port = thread.healthPort!;
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    let asked = 0;
    const stranger = async (): Promise<void> => {
      while (asked < 10_000) {
        const path = `/${"x".repeat(8000)}${asked++}`;
        const [response] = await once(get({ host: "127.0.0.1", port, path, agent }), "response");
        expect(response.statusCode).toBe(404);
        response.resume();
      }
    };
    await Promise.all(Array.from({ length: 20 }, stranger));
    agent.destroy();
    const answer = await fetch(`http://127.0.0.1:${thread.healthPort}/healthz`);
    expect([answer.status, failures]).toEqual([200, []]);
    await thread.stop();
  });

  it("goes on when strangers do not wait for answers", LONG, async () => {
    const health = { port: 0, host: "127.0.0.1" };
    const { thread, failures } = build({ stuckAfterMs: 30_000, health });
    await thread.start();
    const port = thread.healthPort!;
    const many = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(4000);
    const strangers = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
    const ended = strangers.map((socket) => {
      socket.on("error", () => undefined);
      const write = (): void => {
        while (!socket.destroyed && socket.write(many));
      };
      socket.on("connect", write).on("drain", write);
      return new Promise((resolve) => socket.once("close", resolve));
    });
    await Promise.all(ended);
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect([answer.status, failures]).toEqual([200, []]);
    await thread.stop();
  });
});
