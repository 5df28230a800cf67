/**
 * The client of a manager: reads from the cache the kinds that are watched, everything else from the server;
 * writes go to the server.
 *
 * @module
 */
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { groupResourceOf, resourceOf, type ResourceType, type Token } from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import { findCached, listCached, type Cache } from "../cache/cache.ts";
import type { SharedInformer } from "../cache/shared-informer.ts";
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

/** Reads what is watched from memory. A read waits until the informer has its first list. */
export class CachedClient implements Client {
  readonly live: Client;
  readonly #cache: Cache;

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
    const informers = await this.#informers(token, key.namespace);
    return informers ? findCached(informers, key) : this.live.find(token, key);
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
    return this.live.apply(token, intent, options);
  }

  delete(token: Token, key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.live.delete(token, key, options);
  }

  deleteAllOf(token: Token, options?: ListOptions & DeleteOptions): Promise<void> {
    return this.live.deleteAllOf(token, options);
  }

  get status(): StatusClient {
    return this.live.status;
  }

  subresource(name: string): SubresourceClient {
    return this.live.subresource(name);
  }

  dynamic(apiVersion: string, kind: string, plural?: string): Promise<ResourceType> {
    return this.live.dynamic(apiVersion, kind, plural);
  }

  async #informers<T extends KubeObject>(
    token: Token<T>,
    namespace: string | undefined,
  ): Promise<readonly SharedInformer<T>[] | undefined> {
    const informers = this.#cache.findInformers(token, namespace);
    await Promise.all(informers?.map((informer) => informer.synced) ?? []);
    return informers;
  }
}
