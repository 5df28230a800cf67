/**
 * The client of a manager: reads from the cache the kinds that are watched, everything else from the server;
 * writes go to the server.
 *
 * @module
 */
import { sameJson } from "../../kube/json.ts";
import { applyMergePatch } from "../../kube/patch.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { groupResourceOf, resourceOf, type ResourceType, type Token } from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import { findCached, listCached, type Cache } from "../cache/cache.ts";
import type { SharedInformer } from "../cache/shared-informer.ts";
import { AppliedIntents, type AppliedRequest } from "./applied-intents.ts";
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  Intent,
  ListOptions,
  NewObject,
  StatusClient,
  SubresourceClient,
  WriteOptions,
} from "./client.ts";
import type { Patch } from "./patches.ts";
import type { WatchStream } from "./rest-client.ts";

/** Whether a patch of the status would leave it as it is. */
function isPatched(known: KubeObject & { status?: object }, change: object): boolean {
  const before = { ...known.status };
  return known.status !== undefined && sameJson(applyMergePatch(before, change), before);
}

/**
 * Reads what is watched from memory, waiting for its first list, and sees there what this process wrote.
 * An apply or a status patch that would change nothing is not sent; what is returned then is frozen.
 */
export class CachedClient implements Client {
  readonly live: Client;
  readonly #cache: Cache;
  readonly #applied = new AppliedIntents();

  constructor(live: Client, cache: Cache) {
    this.live = live;
    this.#cache = cache;
  }

  async get<T extends KubeObject>(token: Token<T>, key: ObjectKey): Promise<T> {
    const informers = await this.#informers(token, key.namespace);
    if (!informers) return this.live.get(token, key);
    const object = findCached(informers, key);
    if (object) return object;
    const resource = resourceOf(token);
    throw failure(404, "NotFound", `${groupResourceOf(resource)} "${formatKey(key)}" not found`, {
      name: key.name,
      group: resource.group,
      kind: resource.plural,
    });
  }

  async find<T extends KubeObject>(token: Token<T>, key: ObjectKey): Promise<T | undefined> {
    const informers = this.#cache.findInformers(token, key.namespace);
    if (!informers) return this.live.find(token, key);
    for (const { hasSynced, synced } of informers) if (!hasSynced) await synced;
    return findCached(informers, key);
  }

  async list<T extends KubeObject>(token: Token<T>, options: ListOptions = {}): Promise<T[]> {
    // The fields that a server selects by are its own; the cache does not know their meaning.
    const informers =
      options.fields === undefined ? await this.#informers(token, options.namespace) : undefined;
    return informers ? listCached(informers, options) : this.live.list(token, options);
  }

  listAll<T extends KubeObject>(token: Token<T>, options?: ListOptions): AsyncIterable<T> {
    return this.live.listAll(token, options);
  }

  watch<T extends KubeObject>(
    token: Token<T>,
    options?: ListOptions & { readonly resourceVersion?: string },
  ): Promise<WatchStream<T>> {
    return this.live.watch(token, options);
  }

  create<T extends KubeObject>(
    token: Token<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.live.create(token, object, options);
  }

  update<T extends KubeObject>(
    token: Token<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T> {
    return this.live.update(token, object, options);
  }

  patch<T extends KubeObject>(
    token: Token<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T> {
    return this.live.patch(token, key, patch, options);
  }

  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options?: ApplyOptions,
  ): Promise<T> {
    return this.#applyOnce(token, intent, options, undefined, () =>
      this.live.apply(token, intent, options),
    );
  }

  delete(token: Token, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.live.delete(token, key, options);
  }

  deleteAllOf(token: Token, options?: ListOptions & DeleteOptions): Promise<void> {
    return this.live.deleteAllOf(token, options);
  }

  get status(): StatusClient {
    const { status } = this.live;
    return {
      update: status.update.bind(status),
      patch: async (object, change, options) => {
        const known = this.#cache.findObject(object);
        if (known && !options?.dryRun && isPatched(known, change)) return known;
        return status.patch(object, change, options);
      },
      apply: (token, intent, options) =>
        this.#applyOnce(token, intent, options, "status", () =>
          status.apply(token, intent, options),
        ),
    };
  }

  subresource(name: string): SubresourceClient {
    return this.live.subresource(name);
  }

  dynamic(apiVersion: string, kind: string, plural?: string): Promise<ResourceType> {
    return this.live.dynamic(apiVersion, kind, plural);
  }

  /** Applies, unless that is known to change nothing; then gives what is in the cache. */
  async #applyOnce<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options: ApplyOptions = {},
    subresource: string | undefined,
    apply: () => Promise<T>,
  ): Promise<T> {
    const { owner, force = true, fieldManager, dryRun } = options;
    const { name = "", namespace = owner?.metadata.namespace } = intent.metadata;
    const informers = dryRun ? undefined : await this.#informers(token, namespace);
    if (!informers) return apply();
    const key = { name, ...(namespace && resourceOf(token).namespaced ? { namespace } : {}) };
    const known = findCached(informers, key);
    const ownerUid = owner?.metadata.uid;
    const request: AppliedRequest = { intent, ownerUid, subresource, fieldManager, force };
    if (known && this.#applied.isDone(request, known)) return known;
    const object = await apply();
    this.#applied.remember(request, object);
    return object;
  }

  async #informers<T extends KubeObject>(
    token: Token<T>,
    namespace: string | undefined,
  ): Promise<readonly SharedInformer<T>[] | undefined> {
    const informers = this.#cache.findInformers(token, namespace);
    for (const informer of informers ?? []) if (!informer.hasSynced) await informer.synced;
    return informers;
  }
}
