/**
 * Which reconcile a request belongs to, so that one that has run out of its time can write nothing more, and one that
 * changes the same again and again is noticed.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { stringifyExact } from "../client/json/exact-json.ts";
import type { ClientMiddleware, RestRequest, SendRequest } from "../client/rest-client.ts";
import { LruMap } from "../lru.ts";
import type { ReconcileNotes } from "./reconcile-observer.ts";
import type { ReconcileTap } from "./reconcile-tap.ts";

/** One reconcile. */
export interface ReconcileScope {
  readonly controller: string;
  /** Of the object: `d/web`. */
  readonly key: string;
  /** What it wrote that was not so before: method, path and body. */
  readonly changes: string[];
  /** Its time is over; its worker has gone on. */
  expired: boolean;
  /** Takes down what it reads and writes; absent where nobody wants to know. */
  notes?: ReconcileNotes | undefined;
  /** Stands between it and what it asks; absent where nobody records or replays. */
  tap?: ReconcileTap | undefined;
}

const PATHS = 20_000;
// Events tell of the work; they are none.
const EVENTS = /\/events(\/|$)/;

/** A reconcile that a call belongs to; `outer` is that of another manager which called this one. */
interface Call {
  readonly of: ReconcileScopes;
  readonly scope: ReconcileScope;
  readonly outer: Call | undefined;
}

// One for the process: before Node 24 each further storage makes every promise slower for as long as the process lives.
const calls = new AsyncLocalStorage<Call>();

/** The reconciles of a manager that are under way. */
export class ReconcileScopes {
  // The version that each path had last: an answer with the same one changed nothing.
  readonly #versions = new LruMap<string>(PATHS);
  readonly #running = new Set<ReconcileScope>();
  readonly #areNoted: boolean;
  readonly #areTapped: boolean;
  #ended = false;
  #writes = 0;

  /** @param looks - whether reconciles may have notes, or taps: nobody looks for them otherwise */
  constructor(looks: { readonly areNoted?: boolean; readonly areTapped?: boolean } = {}) {
    this.#areNoted = looks.areNoted ?? false;
    this.#areTapped = looks.areTapped ?? false;
  }

  /** The notes of the reconcile that asks; `undefined` outside of one, and where none are taken. */
  get notes(): ReconcileNotes | undefined {
    return this.#areNoted ? this.#current()?.notes : undefined;
  }

  /** What stands between the reconcile that asks and what it asks; `undefined` outside of one, and where there is none. */
  get tap(): ReconcileTap | undefined {
    return this.#areTapped ? this.#current()?.tap : undefined;
  }

  /** How many requests were to change something, in reconciles or not. */
  get writes(): number {
    return this.#writes;
  }

  /**
   * Begins a reconcile; requests that it makes, at whatever time, are of this scope. `leave` is to follow, when it has
   * ended or is given up.
   */
  run<T>(scope: ReconcileScope, reconcile: () => Promise<T>): Promise<T> {
    this.#running.add(scope);
    return calls.run({ of: this, scope, outer: calls.getStore() }, reconcile);
  }

  /** Its worker goes on. */
  leave(scope: ReconcileScope): void {
    this.#running.delete(scope);
  }

  /** Lets no reconcile that is under way write any more: their keys may be another process's by now. */
  expireAll(): void {
    for (const scope of this.#running) scope.expired = true;
  }

  /** Lets no reconcile write any more: the process did not wait for those that are still under way. */
  end(): void {
    this.#ended = true;
  }

  /** Refuses what comes too late, and takes down what is changed. */
  readonly middleware: ClientMiddleware = async (request, next) => {
    if (request.method === "GET" && !request.upgrades) return this.#send(request, next);
    this.#writes++;
    const scope = this.#current();
    if (scope && (scope.expired || this.#ended)) {
      throw new TsopError(
        "reconcile-expired",
        `${request.method} ${request.path} was not sent: the reconcile (${scope.controller} of ${scope.key}) took too long, and its key is worked on anew, here or elsewhere.`,
        "End the work when `context.signal` is aborted, or raise reconcileTimeoutMs.",
      );
    }
    const answer = await this.#send(request, next);
    if (request.upgrades) return answer;
    if (scope && !EVENTS.test(request.path) && this.#isChange(request, answer)) {
      const content = stringifyExact(contentOf(request.body) ?? null);
      scope.changes.push(`${request.method} ${request.path} ${content}`);
    }
    return answer;
  };

  /** Sends it, and takes it down where that is wanted. */
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

/** What a request writes: the version that it rests on is another one each time, and no content. */
function contentOf(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body["metadata"])) return body;
  const { resourceVersion, ...metadata } = body["metadata"];
  return resourceVersion === undefined ? body : { ...body, metadata };
}
