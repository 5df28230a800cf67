/**
 * The client of a manager: reads from the cache the kinds that are watched, everything else from the server;
 * writes go to the server.
 */
import { TsopError } from "../../errors.ts";
import type { Intent } from "../../kube/input.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
  type Token,
} from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import { unlessAborted } from "../abortable.ts";
import { bindMethods } from "../bind-methods.ts";
import type { InformerCache } from "../cache/cache.ts";
import { findCached, listCached } from "../cache/cached-reads.ts";
import { isPartial } from "../rest/partial-objects.ts";
import type { SharedInformer } from "../cache/shared-informer.ts";
import { AppliedIntents, type AppliedRequest } from "./applied-intents.ts";
import type { ApplyOptions, Client, StatusClient } from "./client.ts";
import { type ListOptions, assertSelection, indexMissing } from "../rest/selection.ts";
import type { LiveClient } from "./live-client.ts";
import { assertWhole } from "../rest/metadata-only.ts";
import { keyOfOwned } from "./owned-apply.ts";
import { keyIn } from "../rest/paths.ts";
import { changedStatus, isStatusPatched } from "./status-patch.ts";

/** Called for reads that the cache answers: of one object, of all in a namespace, or of all. */
export type CachedReadsObserver = (
  resource: ResourceInfo,
  key: { readonly namespace?: string | undefined; readonly name?: string } | undefined,
  found: number,
) => void;

/**
 * Reads watched kinds from memory, after their first list, including the writes of this process. An
 * apply or a status patch that would change nothing is not sent; what is returned then is frozen.
 */
export class CachedClient implements Client {
  readonly live: LiveClient;
  readonly listAll: Client["listAll"] = (...given) => this.live.listAll(...given);
  readonly watch: Client["watch"] = (...given) => this.live.watch(...given);
  readonly create: Client["create"] = (...given) => this.live.create(...given);
  readonly update: Client["update"] = (...given) => this.live.update(...given);
  readonly patch: Client["patch"] = (...given) => this.live.patch(...given);
  readonly delete: Client["delete"] = (...given) => this.live.delete(...given);
  readonly deleteAllOf: Client["deleteAllOf"] = (...given) => this.live.deleteAllOf(...given);
  readonly subresource: Client["subresource"] = (...given) => this.live.subresource(...given);
  readonly dynamic: Client["dynamic"] = (...given) => this.live.dynamic(...given);
  readonly raw: Client["raw"] = (...given) => this.live.raw(...given);
  readonly #cache: InformerCache;
  readonly #noted: CachedReadsObserver | undefined;
  readonly #applied = new AppliedIntents();

  /** @param noted - records the reads that the cache answers */
  constructor(live: LiveClient, cache: InformerCache, noted?: CachedReadsObserver) {
    this.live = live;
    this.#cache = cache;
    this.#noted = noted;
    bindMethods(this, CachedClient);
  }

  get pods(): Client["pods"] {
    return this.live.pods;
  }

  async get<T extends KubeObject>(token: ReadToken<T>, asked: ObjectKey): Promise<T> {
    const resource = resourceOf(token);
    const key = keyIn(resource, asked);
    const informers = await this.#synced(this.#readable(token, key.namespace));
    if (!informers) return this.live.get(token, key);
    const object = findCached(informers, key, this.#cache.tap);
    this.#noted?.(resource, key, object ? 1 : 0);
    if (object) return object;
    throw failure(404, "NotFound", `${groupResourceOf(resource)} "${formatKey(key)}" not found`, {
      name: key.name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  async find<T extends KubeObject>(token: ReadToken<T>, asked: ObjectKey): Promise<T | undefined> {
    const resource = resourceOf(token);
    const key = keyIn(resource, asked);
    const informers = this.#readable(token, key.namespace);
    if (!informers) return this.live.find(token, key);
    for (const { hasSynced, synced } of informers) if (!hasSynced) await synced;
    const object = findCached(informers, key, this.#cache.tap);
    this.#noted?.(resource, key, object ? 1 : 0);
    return object;
  }

  async list<T extends KubeObject>(token: ReadToken<T>, options: ListOptions = {}): Promise<T[]> {
    const { namespace, fields, index, signal } = options;
    const resource = resourceOf(token);
    assertSelection(resource, options);
    signal?.throwIfAborted();
    // Only the server can evaluate field selectors; the cache does not know which fields a kind
    // supports.
    if (fields !== undefined) {
      if (!index) return this.live.list(token, options);
      throw indexMissing(
        index.name,
        resource,
        "a list with `fields` is sent to the API server, which does not support indexes",
      );
    }
    const informers = await this.#synced(
      index ? this.#cache.findInformers(token, namespace) : this.#readable(token, namespace),
      signal,
    );
    if (informers) {
      const objects = listCached(informers, options, this.#cache.tap);
      this.#noted?.(resource, namespace === undefined ? undefined : { namespace }, objects.length);
      return objects;
    }
    if (!index) return this.live.list(token, options);
    throw indexMissing(index.name, resource, this.#cache.whyNot(token, namespace));
  }

  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const { owner } = options;
    return this.#applyOnce(token, intent, options, undefined, (known) =>
      owner
        ? this.live.applyOver(token, intent, { ...options, owner }, ...known)
        : this.live.apply(token, intent, options),
    );
  }

  get status(): StatusClient {
    const { status } = this.live;
    return {
      update: status.update.bind(status),
      patch: async (object, change, options) => {
        const cached = options?.dryRun ? undefined : this.#cache.findObject(object);
        // The fields to change may be among those that the cache dropped.
        const known = cached && isPartial(cached) ? undefined : cached;
        if (typeof change !== "function") {
          if (known && isStatusPatched(known, change)) return known;
          return status.patch(object, change, options);
        }
        // The cached object is newer than the one that was read from it, and includes the writes of
        // this process.
        const isSame = known?.metadata.uid === object.metadata.uid;
        if (!known || !isSame) return status.patch(object, change, options);
        if (isStatusPatched(known, changedStatus(known, change))) return known;
        return status.patch(known, change, options);
      },
      apply: (token, intent, options) =>
        this.#applyOnce(token, intent, options, "status", () =>
          status.apply(token, intent, options),
        ),
    };
  }

  /** Applies, unless that is known to change nothing; then returns the cached object. */
  async #applyOnce<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options: ApplyOptions = {},
    subresource: string | undefined,
    apply: (known: [] | [T | undefined]) => Promise<T>,
  ): Promise<T> {
    const { owner, force = true, fieldManager, dryRun } = options;
    const resource = resourceOf(token);
    assertWhole(resource, "applied");
    const key = keyOfOwned(resource, intent, owner);
    const informers = dryRun
      ? undefined
      : await this.#synced(this.#cache.findInformers(token, key.namespace));
    // With an owner the object is read in any case, so its current state can save the write here,
    // too.
    if (!informers && (!owner || dryRun)) return apply([]);
    const known = informers
      ? findCached(informers, key, this.#cache.tap)
      : await this.live.find(token, key);
    const ownerUid = owner?.metadata.uid;
    const request: AppliedRequest = { intent, ownerUid, subresource, fieldManager, force };
    if (known && this.#isDone(request, known)) return known;
    const object = await apply([known]);
    this.#applied.remember(request, object);
    return object;
  }

  /** Whether the apply would change nothing, as far as this process remembers. */
  #isDone(request: AppliedRequest, known: KubeObject): boolean {
    const isDone = (): boolean => this.#applied.isDone(request, known);
    const { tap } = this.#cache;
    if (!tap) return isDone();
    const { kind, metadata } = known;
    return tap.fact(`whether ${kind} ${formatKey(metadata)} was applied like that`, isDone);
  }

  /**
   * The informers that answer a read. @throws TsopError `not-cached` where such reads are to fail
   */
  #readable<T extends KubeObject>(
    token: ReadToken<T>,
    namespace: string | undefined,
  ): readonly SharedInformer<T>[] | undefined {
    const informers = this.#cache.findInformers(token, namespace);
    if (informers || this.#cache.readsOf(token) === "live") return informers;
    const kinds = groupResourceOf(resourceOf(token));
    throw new TsopError(
      "not-cached",
      `A read of ${kinds} found nothing in the cache: ${this.#cache.whyNot(token, namespace)}.`,
      'Watch them, read with client.live, or remove `reads: "fail"` from the options of the cache.',
    );
  }

  async #synced<T extends KubeObject>(
    informers: readonly SharedInformer<T>[] | undefined,
    signal?: AbortSignal,
  ): Promise<readonly SharedInformer<T>[] | undefined> {
    for (const { hasSynced, synced } of informers ?? []) {
      if (!hasSynced) await unlessAborted(synced, signal);
    }
    return informers;
  }
}
