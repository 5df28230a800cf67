/**
 * The client of a manager: reads from the cache the kinds that are watched, everything else from the server;
 * writes go to the server.
 */
import { TsopError } from "../../errors.ts";
import type { Intent } from "../../kube/input.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
  type Token,
  type Whole,
} from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import { unlessAborted } from "../abortable.ts";
import { bindMethods } from "../bind-methods.ts";
import type { InformerCache } from "../cache/cache.ts";
import { findCached, listCached } from "../cache/cached-reads.ts";
import { isPartial } from "../rest/partial-objects.ts";
import type { SharedInformer } from "../cache/shared-informer.ts";
import type { RepeatableWrite } from "../cache/answered-writes.ts";
import type { ApplyOptions, Client, PatchOptions, StatusClient, WriteOptions } from "./client.ts";
import { type ListOptions, assertSelection, indexMissing } from "../rest/selection.ts";
import type { LiveClient } from "./live-client.ts";
import { assertWhole, isWhole } from "../rest/metadata-only.ts";
import { keyOfOwned } from "./owned-apply.ts";
import { keyIn } from "../rest/paths.ts";
import type { Patch } from "./patches.ts";
import { applyOf, isOfVersion, patchOf, statusPatchOf, updateOf } from "./repeatable-writes.ts";
import { changedStatus, isStatusPatched } from "./status-patch.ts";

/** Called for reads that the cache answers: of one object, of all in a namespace, or of all. */
export type CachedReadsObserver = (
  resource: ResourceInfo,
  key: { readonly namespace?: string | undefined; readonly name?: string } | undefined,
  found: number,
) => void;

/**
 * Reads watched kinds from memory, after their first list, including the writes of this process. An
 * apply, a status patch, an update or a merge patch with a lock is not sent where the server already
 * answered the same one and the object is as it answered, nor a status patch whose values are there;
 * what is returned then is frozen.
 */
export class CachedClient implements Client {
  readonly live: LiveClient;
  readonly listAll: Client["listAll"] = (...given) => this.live.listAll(...given);
  readonly watch: Client["watch"] = (...given) => this.live.watch(...given);
  readonly create: Client["create"] = (...given) => this.live.create(...given);
  readonly delete: Client["delete"] = (...given) => this.live.delete(...given);
  readonly deleteAllOf: Client["deleteAllOf"] = (...given) => this.live.deleteAllOf(...given);
  readonly subresource: Client["subresource"] = (...given) => this.live.subresource(...given);
  readonly dynamic: Client["dynamic"] = (...given) => this.live.dynamic(...given);
  readonly raw: Client["raw"] = (...given) => this.live.raw(...given);
  readonly #cache: InformerCache;
  readonly #noted: CachedReadsObserver | undefined;

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

  async update<T extends KubeObject>(
    token: Token<T>,
    object: NoInfer<T> & Whole,
    options: WriteOptions = {},
  ): Promise<T> {
    const send = (): Promise<T> => this.live.update(token, object, options);
    const known = this.#sentFrom(token, keyOf(object), options);
    if (!known || known.metadata.uid !== object.metadata.uid) return send();
    if (!isOfVersion(known, object)) return send();
    return this.#once(updateOf(object, known, options, this.live.defaults), known, send);
  }

  async patch<T extends KubeObject>(
    token: ReadToken<T>,
    asked: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const send = (): Promise<T> => this.live.patch(token, asked, patch, options);
    // Without a lock the patch is meant for whatever the server has, which the cache may not know yet.
    const { optimisticLock } = options;
    const known = optimisticLock && this.#sentFrom(token, asked, options);
    if (!known || !isOfVersion(known, patch.body, optimisticLock)) return send();
    return this.#once(patchOf(patch, options, this.live.defaults), known, send);
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
      patch: async (object, change, options = {}) => {
        const cached = this.#isTried(options) ? undefined : this.#cache.findObject(object);
        // The fields to change may be among those that the cache dropped.
        const known = cached && isPartial(cached) ? undefined : cached;
        // The cached object is newer than the one that was read from it, and includes the writes of
        // this process.
        const isSame = known?.metadata.uid === object.metadata.uid;
        if (!known || (typeof change === "function" && !isSame)) {
          return status.patch(object, change, options);
        }
        let sent = typeof change === "function" ? changedStatus(known, change) : change;
        if (isStatusPatched(known, sent)) return known;
        const write = statusPatchOf(sent, options, this.live.defaults);
        if (this.#isAnswered(write, known)) return known;
        const stored = await (typeof change === "function"
          ? status.patch(known, (current) => (sent = change(current)), options)
          : status.patch(object, change, options));
        // Where the answer has what was sent, its values tell next time.
        if (!isStatusPatched(stored, sent)) {
          this.#cache.answers.remember(statusPatchOf(sent, options, this.live.defaults), stored);
        }
        return stored;
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
    const { owner } = options;
    const resource = resourceOf(token);
    assertWhole(resource, "applied");
    const key = keyOfOwned(resource, intent, owner);
    const isTried = this.#isTried(options);
    const informers = isTried
      ? undefined
      : await this.#synced(this.#cache.findInformers(token, key.namespace));
    // With an owner the object is read in any case, so its current state can save the write here,
    // too.
    if (!informers && (!owner || isTried)) return apply([]);
    const known = informers
      ? findCached(informers, key, this.#cache.tap)
      : await this.#seenLive(token, key);
    const write = applyOf(intent, options, this.live.defaults, subresource);
    const isLocked = known !== undefined && !isOfVersion(known, intent);
    return this.#once(write, isLocked ? undefined : known, () => apply([known]));
  }

  async #seenLive<T extends KubeObject>(token: Token<T>, key: ObjectKey): Promise<T | undefined> {
    const object = await this.live.find(token, key);
    if (object) this.#cache.answers.see(object, object, () => object.metadata.managedFields);
    return object;
  }

  /** Sends a write, unless that is known to change nothing; then returns `known`. */
  async #once<T extends KubeObject>(
    write: RepeatableWrite | undefined,
    known: T | undefined,
    send: () => Promise<T>,
  ): Promise<T> {
    if (!write) return send();
    if (known && this.#isAnswered(write, known)) return known;
    const object = await send();
    this.#cache.answers.remember(write, object);
    return object;
  }

  /** Whether the write would change nothing, as far as this process remembers. */
  #isAnswered(write: RepeatableWrite, known: KubeObject): boolean {
    const isAnswered = (): boolean => this.#cache.answers.isAnswered(write, known);
    const { tap } = this.#cache;
    if (!tap) return isAnswered();
    const { kind, metadata } = known;
    return tap.fact(
      `whether the same ${write.verb} of ${kind} ${formatKey(metadata)} was answered with it`,
      isAnswered,
    );
  }

  /** The whole cached object that a write is about; `undefined` for a dry run. */
  #sentFrom<T extends KubeObject>(
    token: ReadToken<T>,
    asked: ObjectKey,
    options: WriteOptions,
  ): T | undefined {
    const resource = resourceOf(token);
    if (!isWhole(resource) || this.#isTried(options)) return undefined;
    const key = keyIn(resource, asked);
    const informers = this.#cache.findInformers(token, key.namespace);
    const known = informers && findCached(informers, key, this.#cache.tap);
    return known && !isPartial(known) ? known : undefined;
  }

  #isTried({ dryRun = false }: WriteOptions): boolean {
    return dryRun || this.live.defaults.dryRun === true;
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
