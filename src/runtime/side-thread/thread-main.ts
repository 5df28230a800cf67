/**
 * The program of the side thread. It is bundled into one text (`scripts/build/side-thread-program.mjs`),
 * because an operator ships as one file.
 */
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../clock.ts";
import { InternalError, messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { ByteBudget, cutText } from "../../logging/bounded-text.ts";
import { jsonLine } from "../../logging/line-forms.ts";
import { plainFields } from "../../logging/log-fields.ts";
import { LiveClient } from "../client/live-client.ts";
import { RestClient } from "../rest/rest-client.ts";
import { serveProbes } from "../serving/health.ts";
import { LeaderElector, type ElectionSettings } from "../leader-election/leader-election.ts";
import { ShardLease, type ShardSettings } from "../sharding/shard-lease.ts";
import { credentialsFrom } from "../transport/credentials/credential-recipe.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import { Probes } from "./probes.ts";
import {
  plainError,
  type FromSideThread,
  type LogLevel,
  type ShardTask,
  type SideThreadData,
  type ThreadLease,
  type ToSideThread,
} from "./protocol.ts";
import { SharedMemory } from "./shared-memory.ts";
import { Stillness } from "./stillness.ts";
import { ThreadConfig } from "./thread-config.ts";

const clock = systemClock;
// In a thread, `process.stderr` goes through the main thread.
const STDERR = 2;
const FIELD_BYTES = 4608;
// A main thread that makes no round for so long does not read its messages.
const BLOCKED_MS = 1000;

/** A logger whose lines the main thread writes, with its fields and to its destination. */
function forwardingLogger(tell: (message: FromSideThread) => void, bound: object = {}): Logger {
  const method =
    (level: LogLevel): Logger["info"] =>
    (first: object | string, second?: string) => {
      const [fields, message] = typeof first === "string" ? [{}, first] : [first, second ?? ""];
      const plain = plainFields({ ...bound, ...fields }, new ByteBudget(FIELD_BYTES));
      tell({ type: "log", level, fields: plain, message });
    };
  return {
    debug: method("debug"),
    info: method("info"),
    warn: method("warn"),
    error: method("error"),
    child: (fields) => forwardingLogger(tell, { ...bound, ...fields }),
  };
}

/** The last words of a process whose main thread is blocked: one line, as the operator writes them. */
function tellLost(error: unknown): void {
  const fields = { reason: "main-thread-blocked", err: error };
  const plain = plainFields(fields, new ByteBudget(FIELD_BYTES));
  const message = `The operator cannot go on: ${messageOf(error)}`;
  writeSync(STDERR, `${jsonLine("fatal", clock.now(), cutText(message, 2048), plain)}\n`);
}

/** One election, from the message `acquire` to the message `release`. */
class ElectionRun {
  readonly #elector: LeaderElector;
  readonly #tell: (message: FromSideThread) => void;
  readonly #isBlocked: () => boolean;
  readonly #end = new AbortController();
  #run: Promise<void> = Promise.resolve();

  constructor(
    elector: LeaderElector,
    tell: (message: FromSideThread) => void,
    isBlocked: () => boolean,
  ) {
    this.#elector = elector;
    this.#tell = tell;
    this.#isBlocked = isBlocked;
  }

  acquire(): void {
    const { signal } = this.#end;
    this.#run = this.#elector
      .acquire(signal)
      .then(() => {
        this.#tell({ type: "acquired" });
        return this.#elector.hold(signal);
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        this.#tell({ type: "lost", error: plainError(error) });
        // The main thread may never read the message about it.
        if (this.#isBlocked()) tellLost(error);
      });
  }

  async release(): Promise<void> {
    this.#end.abort();
    await this.#run;
    await this.#elector.release();
    this.#tell({ type: "released" });
  }
}

/** Carries out the main thread's tasks for a shard's Lease, and renews it in between. */
class ShardRun {
  readonly #lease: ShardLease;
  readonly #settings: ShardSettings;
  readonly #tell: (message: FromSideThread) => void;
  readonly #isStuck: () => boolean;

  constructor(
    lease: ShardLease,
    settings: ShardSettings,
    tell: (message: FromSideThread) => void,
    isStuck: () => boolean,
  ) {
    this.#lease = lease;
    this.#settings = settings;
    this.#tell = tell;
    this.#isStuck = isStuck;
  }

  async do(task: ShardTask): Promise<void> {
    const { id } = task;
    try {
      if (task.type === "publish") await this.#lease.publish(task.ring, task.anew);
      else await this.#lease.withdraw();
      this.#tell({ type: "shard-done", id });
    } catch (error) {
      this.#tell({ type: "shard-done", id, error: plainError(error) });
    }
  }

  /** Renews as long as the thread runs; a main thread that is stuck loses its keys. */
  async start(): Promise<void> {
    // The main thread renews at its own times, with jitter.
    const afterMs = this.#settings.retryPeriodMs * 1.5;
    for (;;) {
      await clock.sleep(this.#settings.retryPeriodMs / 2);
      // A failure is retried; the main thread notices it when the term expires.
      if (!this.#isStuck()) await this.#lease.renew(afterMs).catch(() => undefined);
    }
  }
}

function clientOf(
  { name, cluster, credentials }: ThreadLease,
  source: ThreadConfig | undefined,
  tell: (message: FromSideThread) => void,
): LiveClient {
  const config = source
    ? { ...source.first, source }
    : { ...cluster, credentials: credentialsFrom(credentials, clock) };
  const observe = (method: string, code: string): void => {
    tell({ type: "exchange", method, code });
  };
  const rest = new RestClient(new HttpsTransport(config, name), clock, { observe });
  return new LiveClient(rest, { fieldManager: name });
}

function electionRun(
  settings: ElectionSettings,
  client: LiveClient,
  { memory, stillness, tell }: ThreadParts,
): ElectionRun {
  const elector = new LeaderElector({
    ...settings,
    client,
    clock,
    log: forwardingLogger(tell),
    term: memory,
    standsStillMs: () => stillness.ms,
  });
  return new ElectionRun(elector, tell, () => stillness.ms > BLOCKED_MS);
}

interface ThreadParts {
  readonly memory: SharedMemory;
  readonly stillness: Stillness;
  readonly tell: (message: FromSideThread) => void;
}

async function main(data: SideThreadData): Promise<void> {
  const port = parentPort;
  if (!port) throw new InternalError("The side thread was started as a process.");
  const tell = (message: FromSideThread): void => {
    port.postMessage(message);
  };
  const memory = new SharedMemory(data.memory);
  const stillness = new Stillness(memory, clock);
  const { stuckAfterMs, lease, election, shard, health } = data;
  const source = lease?.isFollowed
    ? new ThreadConfig(lease, clock, (isStale) => {
        tell({ type: "access-wanted", isStale });
      })
    : undefined;
  const client = lease && clientOf(lease, source, tell);
  const run = client && election && electionRun(election, client, { memory, stillness, tell });
  const ownLease = client && shard && new ShardLease({ ...shard, client, clock, term: memory });
  const isStuck = (): boolean => stillness.ms > stuckAfterMs;
  const sharing = ownLease && new ShardRun(ownLease, shard, tell, isStuck);
  const ask = (id: number, url: string): void => {
    tell({ type: "probe", id, url });
  };
  const probes = new Probes({ clock, stillness, stuckAfterMs, ask });
  port.on("message", (message: ToSideThread) => {
    switch (message.type) {
      case "acquire":
        run?.acquire();
        break;
      case "release":
        void run?.release();
        break;
      case "publish":
      case "withdraw":
        void sharing?.do(message);
        break;
      case "access":
        source?.received(message.access);
        break;
      case "answer":
        probes.answered(message.id, message.answer);
        break;
    }
  });
  stillness.start();
  void sharing?.start();
  try {
    const server = health && (await serveProbes(health, (url) => probes.answer(url)));
    tell({ type: "ready", ...(server ? { healthPort: server.port } : {}) });
  } catch (error) {
    tell({ type: "not-ready", error: plainError(error) });
  }
}

void main(workerData as SideThreadData);
