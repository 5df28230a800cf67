/**
 * Assigns each request to its reconcile, so that one that timed out can write nothing more, and a
 * hot loop is noticed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { stringifyExact } from "../rest/json/exact-json.ts";
import type { ClientMiddleware, RestRequest, SendRequest } from "../rest/rest-client.ts";
import { LruMap } from "../lru.ts";
import { type Change, OwnWrites } from "./own-writes.ts";
import { LoopWatch } from "./loop-watch.ts";
import type { ReconcileNotes } from "./reconcile-observer.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";

export interface ReconcileScope {
  readonly controller: string;
  /** The key of the object: `d/web`. */
  readonly key: string;
  /** The id of the reconcile, unique in the process. */
  readonly id: string;
  /** The writes that changed something. */
  readonly changes: Change[];
  /** Whether it timed out, so that its worker has moved on. */
  expired: boolean;
  /** Records its reads and writes; absent without an observer that needs them. */
  notes?: ReconcileNotes | undefined;
  /** The tap between it and its questions; absent unless reconciles are recorded or replayed. */
  tap?: ReconcileTap | undefined;
}

const PATHS = 20_000;
// Events report the work; they do not count as changes.
const EVENTS = /\/events(\/|$)/;

/** The reconcile of a call; `outer` is that of another manager which made this call. */
interface Call {
  readonly of: ReconcileScopes;
  readonly scope: ReconcileScope;
  readonly outer: Call | undefined;
}

// One storage for the process: before Node 24 each further one makes every promise slower for as
// long as the process lives.
const calls = new AsyncLocalStorage<Call>();

/** The innermost reconcile that the caller is part of, of any manager of this process. */
export function callingReconcile(): ReconcileScope | undefined {
  return calls.getStore()?.scope;
}

/** The names of reconciles in messages: `web of default/one`. */
export const namesOf = (scopes: Iterable<ReconcileScope>): string[] =>
  [...scopes].map(({ controller, key }) => `${controller} of ${key}`);

export class ReconcileScopes {
  // The last version of each path: an answer with the same one changed nothing.
  readonly #versions = new LruMap<string>(PATHS);
  readonly #running = new Set<ReconcileScope>();
  /** Tells who undoes a change. */
  readonly ownWrites: OwnWrites;
  readonly #areNoted: boolean;
  readonly #areTapped: boolean;
  #watch: LoopWatch | undefined;
  #ended = false;
  #writes = 0;

  /** @param looks - whether reconciles may have notes, or taps; they are not looked up otherwise */
  constructor(
    clock: Clock,
    looks: { readonly areNoted?: boolean; readonly areTapped?: boolean } = {},
  ) {
    this.ownWrites = new OwnWrites(clock);
    this.#areNoted = looks.areNoted ?? false;
    this.#areTapped = looks.areTapped ?? false;
  }

  /** The running reconciles. */
  get running(): ReadonlySet<ReconcileScope> {
    return this.#running;
  }

  /** Watches the event loop until `stop` is called, and logs who keeps it. */
  watchLoop(clock: Clock, log: Logger): LoopWatch {
    this.#watch = new LoopWatch({ clock, log, running: () => this.#running });
    this.#watch.start();
    return this.#watch;
  }

  /** The notes of the calling reconcile; `undefined` outside of one, and where none are taken. */
  get notes(): ReconcileNotes | undefined {
    return this.#areNoted ? this.#current()?.notes : undefined;
  }

  /** The tap of the calling reconcile; `undefined` outside of one, and where there is none. */
  get tap(): ReconcileTap | undefined {
    return this.#areTapped ? this.#current()?.tap : undefined;
  }

  /** How many requests were writes, in reconciles or not. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Runs a reconcile; requests that it makes, at any time, are of this scope. `leave` must follow,
   * when it has ended or is abandoned.
   */
  run<T>(scope: ReconcileScope, reconcile: () => Promise<T>): Promise<T> {
    this.#running.add(scope);
    this.#watch?.see(scope);
    return calls.run({ of: this, scope, outer: calls.getStore() }, reconcile);
  }

  /** Notes that the worker of a reconcile has moved on. */
  leave(scope: ReconcileScope): void {
    this.#watch?.see(scope);
    this.#running.delete(scope);
  }

  /** Forbids all running reconciles to write: their keys may belong to another process by now. */
  expireAll(): void {
    for (const scope of this.#running) scope.expired = true;
  }

  /** Forbids all reconciles to write: the process did not wait for those that still run. */
  end(): void {
    this.#ended = true;
  }

  /** Refuses requests after a timeout, and records changes. */
  readonly middleware: ClientMiddleware = async (request, next) => {
    if (request.method === "GET" && !request.upgrades) return this.#send(request, next);
    this.#writes++;
    const scope = this.#current();
    if (scope) this.#watch?.see(scope);
    if (scope && (scope.expired || this.#ended)) {
      throw new TsopError(
        "reconcile-expired",
        `${request.method} ${request.path} was not sent: the reconcile (${scope.controller} of ${scope.key}) took too long, and its key is already being reconciled again, here or in another process.`,
        "End the work when `context.signal` is aborted, or raise reconcileTimeoutMs.",
      );
    }
    const isCounted = scope && !request.upgrades && !EVENTS.test(request.path);
    const version = this.#versions.get(request.path);
    const before = isCounted ? await this.ownWrites.look(request, version, next) : undefined;
    const answer = await this.#send(request, next);
    if (scope) this.#watch?.see(scope);
    if (isCounted && this.#isChange(request, answer)) {
      const content = stringifyExact(contentOf(request.body) ?? null);
      scope.changes.push(this.ownWrites.note({ by: scope, request, content, answer, before }));
    }
    return answer;
  };

  /** Sends a request, and records it where notes are taken. */
  async #send(request: RestRequest, send: SendRequest): Promise<unknown> {
    const { tap } = this;
    const next: SendRequest = tap ? (asked) => tap.request(asked, send) : send;
    const note = this.notes?.request(request);
    if (!note) return next(request);
    try {
      const answer = await next(request);
      note.answered(answer);
      return answer;
    } catch (error) {
      note.failed(error);
      throw error;
    }
  }

  #current(): ReconcileScope | undefined {
    let call = calls.getStore();
    while (call && call.of !== this) call = call.outer;
    return call?.scope;
  }

  #isChange({ path }: RestRequest, answer: unknown): boolean {
    const version = (answer as Partial<KubeObject> | null)?.metadata?.resourceVersion ?? "";
    const known = this.#versions.get(path);
    this.#versions.set(path, version);
    return version === "" || known !== version;
  }
}

/** The content that a request writes, without the version, which differs each time. */
function contentOf(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body["metadata"])) return body;
  const { resourceVersion, ...metadata } = body["metadata"];
  return resourceVersion === undefined ? body : { ...body, metadata };
}
