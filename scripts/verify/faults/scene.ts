/**
 * The scene of one fault: the control plane, the objects and the replicas of the operator, and the
 * checks afterwards.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Client } from "../../../src/index.ts";
import { ServiceAccount } from "../../../src/k8s.ts";
import { eventually } from "../../../src/testing.ts";
import {
  alternatingWrites,
  type AuditedRequest,
  auditSize,
  readAudit,
  reconcilersWrites,
  writesWithoutLead,
} from "./audit.ts";
import { ACCOUNT, ELECTION_LEASE, replaceFile, type FaultyControlPlane } from "./control-plane.ts";
import type { Held } from "./operator.ts";
import { Replica } from "./replica.ts";
import type { Webs } from "./webs.ts";

const CONVERGE_MS = 120_000;
const SETTLE_MS = 3000;
const QUIET_MS = 5000;
/** Connections and timers come and go with the pools' idle times. */
const SLACK = 8;
const MAX_LINES_PER_REPLICA = 400;
const MAX_LINE = 8000;
const PROBE_EVERY_MS = 500;

/** A replica with its resources before the fault. */
interface Watched {
  readonly replica: Replica;
  readonly tokenFile: string;
  before?: { readonly held: Held; readonly log: number };
}

/** The settings of a new replica; absent ones as in a deployment of one replica. */
interface ReplicaRequest {
  readonly args?: readonly string[];
  /** The API server's address for it: that of a proxy. */
  readonly server?: string;
  /** Its user, instead of a token. */
  readonly user?: object;
  /** The file of the server's authority, instead of that of the control plane. */
  readonly authorityFile?: string;
  /** The folder of its service account, instead of a kubeconfig. */
  readonly serviceAccount?: string;
  readonly tokenTtlMs?: number;
}

/** The scene of a fault: control plane, webs and replicas. */
export class Scene {
  readonly plane: FaultyControlPlane;
  readonly webs: Webs;
  readonly client: Client;
  /** The remarkable observations, in order. */
  readonly seen: string[] = [];
  /** The violated expectations. */
  readonly wrong: string[] = [];
  readonly #name: string;
  readonly #watched = new Map<string, Watched>();
  readonly #auditFrom: number;
  readonly #ends: (() => void)[] = [];
  #started = 0;

  constructor(name: string, plane: FaultyControlPlane, webs: Webs) {
    this.#name = name;
    this.plane = plane;
    this.webs = webs;
    this.client = plane.admin();
    this.#auditFrom = auditSize(plane.auditLog);
  }

  /** Starts a replica with a token of its own; its name is that of its token in the audit log. */
  async start(request: ReplicaRequest = {}): Promise<Replica> {
    const { args = [], server = this.plane.server, user, tokenTtlMs, serviceAccount } = request;
    const name = `${this.#name}-${++this.#started}-${randomUUID().slice(0, 8)}`;
    const { folder, port } = this.plane;
    const tokenFile = join(folder, `${name}.token`);
    await this.#renewToken(tokenFile, name, tokenTtlMs);
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    const content = this.plane.kubeconfig(user ?? { tokenFile }, server, request.authorityFile);
    replaceFile(kubeconfig, content);
    const replica =
      serviceAccount === undefined
        ? new Replica({ name, environment: { KUBECONFIG: kubeconfig }, args, folder })
        : new Replica({
            name,
            environment: {
              KUBERNETES_SERVICE_HOST: "127.0.0.1",
              KUBERNETES_SERVICE_PORT: `${port}`,
            },
            args: [...args, "--service-account", serviceAccount],
            folder,
          });
    this.#watched.set(name, { replica, tokenFile });
    return replica;
  }

  /** The path of a replica's kubeconfig. */
  kubeconfigOf({ name }: Replica): string {
    return join(this.plane.folder, `${name}.kubeconfig`);
  }

  /** A token of the operator's account. */
  async token(id: string, ttlMs?: number): Promise<string> {
    const account = await this.client.get(ServiceAccount, ACCOUNT);
    return this.plane.token(account.metadata.uid, id, ttlMs);
  }

  /** Waits until `/readyz` is ok, and records how long it took. */
  async readyAgain(replica: Replica, since: string): Promise<void> {
    const beganMs = systemClock.monotonicMs();
    await replica.ready(CONVERGE_MS);
    const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
    this.seen.push(`/readyz ok ${seconds.toFixed(1)} s after ${since}`);
  }

  /** Writes another token into a replica's file. */
  async renewTokenOf({ name }: Replica, ttlMs?: number): Promise<void> {
    await this.#renewToken(this.#watched.get(name)?.tokenFile ?? "", name, ttlMs);
  }

  /**
   * Waits until everything has converged and the replicas are ready, and records their resources.
   */
  async calm(): Promise<void> {
    await this.webs.converged(CONVERGE_MS);
    for (const watched of this.#watched.values()) {
      const { replica } = watched;
      await replica.ready();
      await systemClock.sleep(SETTLE_MS);
      watched.before = { held: await replica.held(), log: replica.logSize() };
    }
  }

  /** Requests a replica's `/readyz` during `work`, and records the answers. */
  async probing(replica: Replica, work: () => Promise<void>): Promise<void> {
    const statuses: number[] = [];
    let reason = "";
    const stop = new AbortController();
    const asking = (async () => {
      while (!stop.signal.aborted) {
        const { status, body } = await replica.probe().catch(() => ({ status: 0, body: "" }));
        statuses.push(status);
        if (status === 500) reason = body.split("\n").find((line) => line.startsWith("[-]")) ?? "";
        await systemClock.sleep(PROBE_EVERY_MS);
      }
    })();
    try {
      await work();
    } finally {
      stop.abort();
      await asking;
    }
    const failed = statuses.filter((status) => status !== 200).length;
    this.seen.push(
      failed === 0
        ? "/readyz ok throughout"
        : `/readyz failed ${failed} of ${statuses.length} times (${reason.slice(0, 160)})`,
    );
  }

  /** Waits for convergence after a fault, and records its duration. */
  async converges(): Promise<void> {
    const beganMs = systemClock.monotonicMs();
    try {
      await this.webs.converged(CONVERGE_MS);
      const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
      this.seen.push(`converged after ${seconds.toFixed(0)} s`);
    } catch (error) {
      this.wrong.push(`not converged after ${CONVERGE_MS / 1000} s: ${messageOf(error)}`);
    }
  }

  /** The requests since the start of the scene. */
  requests(): AuditedRequest[] {
    return readAudit(this.plane.auditLog, this.#auditFrom);
  }

  /** Runs the checks that must pass after any fault. */
  async check(): Promise<void> {
    await systemClock.sleep(SETTLE_MS);
    await this.#checkQuiet();
    this.#checkWriters();
    const totals = await this.webs.totals();
    for (const watched of this.#watched.values()) {
      if (watched.replica.exit) continue;
      await this.#checkReplica(watched, totals).catch((error: unknown) => {
        this.wrong.push(`${watched.replica.name}: ${messageOf(error)}`);
      });
    }
  }

  /** Registers a function to call at the end of the scene. */
  atEnd(end: () => void): void {
    this.#ends.push(end);
  }

  /** Ends the replicas, and everything that was registered with `atEnd`. */
  async end(): Promise<void> {
    for (const { replica } of this.#watched.values()) {
      replica.signal("SIGCONT");
      const running = !replica.exit;
      await replica.stop();
      const code = replica.exit?.code;
      if (running && code !== 0) this.wrong.push(`${replica.name} ended with ${String(code)}`);
    }
    for (const end of this.#ends) end();
  }

  /** Kills the replicas, for a process that exits. */
  kill(): void {
    for (const { replica } of this.#watched.values()) replica.kill();
  }

  async #renewToken(file: string, id: string, ttlMs?: number): Promise<void> {
    replaceFile(file, await this.token(id, ttlMs));
  }

  /** Checks that nothing is written at rest. */
  async #checkQuiet(): Promise<void> {
    const from = auditSize(this.plane.auditLog);
    await systemClock.sleep(QUIET_MS);
    const writes = reconcilersWrites(readAudit(this.plane.auditLog, from));
    if (writes.length > 0) this.wrong.push(`${writes.length} writes in ${QUIET_MS} ms at rest`);
  }

  #checkWriters(): void {
    const requests = this.requests();
    const lease = `${ELECTION_LEASE.namespace}/${ELECTION_LEASE.name}`;
    for (const { by, verb, resource, key } of writesWithoutLead(requests, lease).slice(0, 3)) {
      this.wrong.push(`${by} wrote without the lead: ${verb} ${resource} ${key}`);
    }
    for (const object of alternatingWrites(requests).slice(0, 3)) {
      this.wrong.push(`two wrote in turns: ${object}`);
    }
  }

  async #checkReplica(
    { replica, before }: Watched,
    totals: ReadonlyMap<string, number>,
  ): Promise<void> {
    await replica.ready(10_000);
    const metrics = await replica.metrics();
    for (const [sample, value] of metrics) {
      if (/^workqueue_(depth|unfinished_work_seconds)\b/.test(sample) && value !== 0) {
        this.wrong.push(`${sample} is ${value} at rest`);
      }
      const resource = /^tsop_informer_objects\{.*resource="(\w+)/.exec(sample)?.[1];
      const total = resource === undefined ? undefined : totals.get(resource);
      if (total !== undefined && total !== value) {
        this.wrong.push(`${sample} is ${value}, there are ${total}`);
      }
    }
    const held = await this.#heldAtRest(replica, before?.held);
    const log = replica.logSince(before?.log ?? 0);
    this.seen.push(
      `${log.lines} log lines, ${held.sockets} sockets, ${held.timers} timers, ${(held.heapBytes / 2 ** 20).toFixed(0)} MB`,
    );
    if (log.lines > MAX_LINES_PER_REPLICA) this.wrong.push(`${log.lines} log lines`);
    if (log.raw > 0) this.wrong.push(`${log.raw} log lines are not JSON`);
    if (log.longest > MAX_LINE) this.wrong.push(`a log line of ${log.longest} characters`);
  }

  /**
   * The held resources, after some time for idle connections to close when they are more than
   * before.
   */
  async #heldAtRest(replica: Replica, before: Held | undefined): Promise<Held> {
    let held = await replica.held();
    if (!before) return held;
    await eventually(
      async () => {
        held = await replica.held();
        for (const what of ["sockets", "timers"] as const) {
          const grown = held[what] - before[what];
          if (grown > SLACK) throw new Error(`${grown} more ${what} than before`);
        }
      },
      { timeoutMs: 60_000, intervalMs: 3000 },
    ).catch((error: unknown) => {
      this.wrong.push(messageOf(error));
    });
    return held;
  }
}
