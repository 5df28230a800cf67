/**
 * The main thread's side of the side thread, which takes part in the election, or renews the Lease
 * of a shard, and answers the kubelet's probes, also while a reconcile keeps the main thread busy.
 * The end of the term is in shared memory, so that a write never relies on an old message.
 */
import { Worker } from "node:worker_threads";
import { untilAborted, type Clock, type Timer } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ExchangeObserver } from "../rest/rest-client.ts";
import { unlessAborted } from "../abortable.ts";
import { deferred, type Deferred } from "../deferred.ts";
import type { ProbeAnswer } from "../serving/health.ts";
import {
  leadershipLost,
  type Election,
  type LeaderTerm,
} from "../leader-election/leader-election.ts";
import type { ShardPresence } from "../sharding/shard-lease.ts";
import {
  BEAT_MS,
  errorFrom,
  type FromSideThread,
  type ShardTask,
  type SideThreadData,
  type SideThreadSettings,
  type ThreadAccess,
  type ToSideThread,
} from "./protocol.ts";
import { SharedMemory } from "./shared-memory.ts";
import { present } from "../../present.ts";

// Enough for a few requests and a small server: a larger heap would be a leak.
const LARGEST_HEAP_MB = 64;

// A thread that fails again and again is not restarted for ever: the kubelet's restart of the
// process may help.
const MOST_RESTARTS = 5;
const RESTARTS_COUNT_FOR_MS = 10 * 60_000;
const RESTART_AFTER_MS = 1000;

export interface SideThreadParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The program of the thread, as JavaScript. */
  readonly program: string;
  /** Called for each request of the election. */
  readonly observe: ExchangeObserver;
  /** Answers a request of the kubelet: `/healthz?verbose`. */
  readonly probe: (url: string) => Promise<ProbeAnswer>;
  /** The present access to the cluster; `undefined` if it never changes. Never rejects. */
  readonly access: (isStale: boolean) => Promise<ThreadAccess | undefined>;
  /** Called when the thread ends by itself. */
  readonly failed: (error: TsopError) => void;
}

export class SideThread implements Election, ShardPresence {
  readonly #settings: SideThreadSettings;
  readonly #parts: SideThreadParts;
  readonly #memory = new SharedMemory();
  readonly #ready = deferred();
  readonly #acquired = deferred();
  readonly #released = deferred();
  readonly #lost = deferred<never>();
  readonly #shardTasks = new Map<number, Deferred<void>>();
  #shardTaskCount = 0;
  #worker: Worker | undefined;
  #beat: Timer | undefined;
  #restart: Timer | undefined;
  #endedAtMs: readonly number[] = [];
  #isReady = false;
  #healthPort: number | undefined;

  constructor(settings: SideThreadSettings, parts: SideThreadParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** The term that the side thread last stored. */
  get term(): LeaderTerm {
    return this.#memory;
  }

  get endsAtMs(): number | undefined {
    return this.#memory.endsAtMs;
  }

  /** The port of the probes, once it has started. */
  get healthPort(): number | undefined {
    return this.#healthPort;
  }

  /** Resolves when the thread runs and its server listens. @throws TsopError `port-in-use` */
  async start(): Promise<void> {
    // These promises may fail before anybody waits for them.
    for (const { promise } of [this.#ready, this.#acquired, this.#lost]) {
      promise.catch(() => undefined);
    }
    this.#startWorker(this.#settings);
    this.#comeRound();
    await this.#ready.promise;
  }

  #startWorker(settings: SideThreadSettings): void {
    const data: SideThreadData = { ...settings, memory: this.#memory.buffer };
    const worker = new Worker(this.#parts.program, {
      eval: true,
      workerData: data,
      name: "tsop-side-thread",
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: LARGEST_HEAP_MB },
    });
    this.#worker = worker;
    worker.on("message", (message: FromSideThread) => {
      this.#hear(worker, message);
    });
    worker.on("error", (error) => {
      if (this.#worker === worker) this.#fail(messageOf(error));
    });
    worker.on("exit", (code) => {
      if (this.#worker === worker) this.#fail(`exit code ${code}`);
    });
  }

  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#tell({ type: "acquire" });
    await unlessAborted(this.#acquired.promise, signal);
  }

  async hold(signal: AbortSignal): Promise<void> {
    let timer: Timer | undefined;
    const expired = new Promise<never>((_, reject) => {
      const look = (): void => {
        const leftMs = (this.#memory.endsAtMs ?? 0) - this.#parts.clock.monotonicMs();
        // The side thread reports this as well, unless it is blocked itself.
        if (leftMs <= 0) reject(leadershipLost("The Lease was not renewed in time"));
        else timer = this.#parts.clock.after(leftMs, look);
      };
      look();
    });
    const ended = Promise.race([expired, untilAborted(signal), this.#lost.promise]);
    await ended.finally(() => timer?.cancel());
  }

  async release(): Promise<void> {
    this.#tell({ type: "release" });
    // A thread that has ended, or lost the leadership, has nothing to release.
    await Promise.race([this.#released.promise, this.#lost.promise]).catch(() => undefined);
  }

  publish(ring: readonly string[], anew: boolean): Promise<void> {
    return this.#doWithShard((id) => ({ type: "publish", id, ring, anew }));
  }

  withdraw(): Promise<void> {
    return this.#doWithShard((id) => ({ type: "withdraw", id }));
  }

  /** Ends the thread and closes its server. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#beat?.cancel();
    this.#restart?.cancel();
    this.#failShardTasks(threadEnded("The thread that renews the Lease was stopped"));
    await worker?.terminate();
  }

  #comeRound(): void {
    this.#memory.beat();
    this.#beat = this.#parts.clock.after(BEAT_MS, () => this.#comeRound(), { unref: true });
  }

  async #doWithShard(taskOf: (id: number) => ShardTask): Promise<void> {
    const id = ++this.#shardTaskCount;
    const done = deferred();
    this.#shardTasks.set(id, done);
    this.#tell(taskOf(id));
    if (!this.#worker)
      this.#failShardTasks(threadEnded("The thread that renews the Lease has exited"));
    await done.promise;
  }

  #failShardTasks(error: TsopError): void {
    for (const done of this.#shardTasks.values()) done.reject(error);
    this.#shardTasks.clear();
  }

  #tell(message: ToSideThread): void {
    this.#worker?.postMessage(message);
  }

  #hear(worker: Worker, message: FromSideThread): void {
    const { log, observe, probe } = this.#parts;
    switch (message.type) {
      case "ready":
        this.#healthPort = message.healthPort;
        this.#isReady = true;
        this.#ready.resolve();
        break;
      case "not-ready":
        if (this.#isReady) this.#endAgain(worker, message.error.message);
        else this.#ready.reject(errorFrom(message.error));
        break;
      case "acquired":
        this.#acquired.resolve();
        break;
      case "lost":
        this.#loseLead(errorFrom(message.error));
        break;
      case "released":
        this.#released.resolve();
        break;
      case "shard-done":
        this.#endShardTask(message.id, message.error && errorFrom(message.error));
        break;
      case "exchange":
        observe(message.method, message.code);
        break;
      case "log":
        log[message.level](message.fields, message.message);
        break;
      case "access-wanted":
        void this.#parts.access(message.isStale).then((access) => {
          if (access) worker.postMessage({ type: "access", access } satisfies ToSideThread);
        });
        break;
      case "probe":
        // A restarted thread counts its requests from the start again.
        void probe(message.url).then((answer) => {
          worker.postMessage({ type: "answer", id: message.id, answer } satisfies ToSideThread);
        });
        break;
    }
  }

  #endShardTask(id: number, error: TsopError | undefined): void {
    const done = this.#shardTasks.get(id);
    this.#shardTasks.delete(id);
    if (error) done?.reject(error);
    else done?.resolve();
  }

  #loseLead(error: TsopError): void {
    this.#acquired.reject(error);
    this.#lost.reject(error);
  }

  /** Ends a restarted thread that cannot do its work. */
  #endAgain(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#fail(why);
    void worker.terminate();
  }

  /** Handles a thread that ended by itself. */
  #fail(detail: string): void {
    if (!this.#worker) return;
    this.#worker = undefined;
    const why = `The thread that ${this.#task} has exited (${detail})`;
    if (this.#mayRestart()) {
      this.#parts.log.error(`${why}; it is started again.`);
      this.#restart = this.#parts.clock.after(RESTART_AFTER_MS, () => {
        this.#startAnew();
      });
      return;
    }
    this.#beat?.cancel();
    const error = this.#settings.election ? leadershipLost(why) : threadEnded(why);
    this.#ready.reject(error);
    this.#loseLead(error);
    this.#failShardTasks(error);
    this.#parts.failed(error);
  }

  /** False for a leader or a shard: another process may have taken over in between. */
  #mayRestart(): boolean {
    if (this.#settings.lease || !this.#isReady) return false;
    const now = this.#parts.clock.monotonicMs();
    this.#endedAtMs = [...this.#endedAtMs.filter((at) => now - at < RESTARTS_COUNT_FOR_MS), now];
    return this.#endedAtMs.length <= MOST_RESTARTS;
  }

  /** Starts the thread again, with the same port for the kubelet. */
  #startAnew(): void {
    const { health, ...settings } = this.#settings;
    const port = this.#healthPort;
    this.#startWorker({
      ...settings,
      ...(health && { health: { ...health, ...present({ port }) } }),
    });
  }

  get #task(): string {
    const { lease, health } = this.#settings;
    if (!lease) return "answers the probes";
    return health ? "renews the Lease and answers the probes" : "renews the Lease";
  }
}

function threadEnded(why: string): TsopError {
  return new TsopError(
    "side-thread-ended",
    `${why}.`,
    "Let the process end and restart; if this happens again, raise its memory limit.",
  );
}
