/** The client that sends every read to the server. */
import type { Intent, NewObject } from "../../kube/input.ts";
import { isJsonObject } from "../../kube/json.ts";
import {
  type KubeList,
  type KubeObject,
  type ObjectKey,
  type SentObject,
  keyOf,
} from "../../kube/object.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
  type ResourceType,
  type Token,
  type Whole,
} from "../../kube/resource.ts";
import { failure, isNotFound, type Status } from "../../kube/status.ts";
import { bindMethods } from "../bind-methods.ts";
import { assertNotPartial } from "../rest/partial-objects.ts";
import { brokenAnswer } from "../rest/answers.ts";
import { completeList } from "../rest/complete-list.ts";
import type {
  ApplyOptions,
  ApplyStatusOptions,
  Client,
  DeleteOptions,
  PatchOptions,
  StatusClient,
  SubresourceClient,
  WriteOptions,
} from "./client.ts";
import {
  type ListOptions,
  type Selection,
  assertDeletion,
  assertServed,
  selectionOf,
} from "../rest/selection.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";
import { Discovery } from "./discovery.ts";
import {
  acceptOf,
  assertWhole,
  isWhole,
  metadataPart,
  nameKind,
  nameKinds,
} from "../rest/metadata-only.ts";
import { applyAsOwner } from "./owned-apply.ts";
import { patchContent } from "./patch-content.ts";
import type { Patch } from "./patches.ts";
import { collectionPath, objectPath } from "../rest/paths.ts";
import { livePods } from "./pods/live-pods.ts";
import type { PodClient } from "./pods/pod-client.ts";
import type { RawAnswer } from "../rest/raw-answer.ts";
import { rawRequest, type RawRequest } from "../rest/raw-request.ts";
import type { Query, RestClient, RestRequest } from "../rest/rest-client.ts";
import { lockedStatusPatch, patchStatusFrom } from "./status-patch.ts";
import type { WatchStream } from "../rest/watch-events.ts";
import { present } from "../../present.ts";
import { deletion, typed } from "./write-bodies.ts";

const APPLY = "application/apply-patch+yaml";
const PAGE_SIZE = 500;

export interface WriteDefaults extends Pick<WriteOptions, "dryRun" | "fieldValidation"> {
  readonly fieldManager: string;
}

/** Observes writes; the cache does, so that reads see them at once. */
export interface WriteObserver {
  /** Called with an object as the server stored it. */
  noteWritten(object: KubeObject): void;
  /** Called when the server no longer has the object of that uid. */
  noteDeleted(resource: ResourceInfo, key: ObjectKey, uid: string): void;
  /** The tap of the calling reconcile, where reconciles are recorded or replayed. */
  readonly tap?: ReconcileTap | undefined;
}

export class LiveClient implements Client {
  readonly #rest: RestClient;
  readonly #discovery: Discovery;
  /** The options of writes, where those of a call are absent. */
  readonly defaults: WriteDefaults;
  readonly #observer: WriteObserver | undefined;

  /** @param defaults - the options of writes, where those of a call are absent */
  constructor(rest: RestClient, defaults: WriteDefaults, observer?: WriteObserver) {
    this.#rest = rest;
    this.#discovery = new Discovery(rest, () => observer?.tap);
    this.defaults = defaults;
    this.#observer = observer;
    bindMethods(this, LiveClient);
  }

  get pods(): PodClient {
    return livePods(this.#rest, this.#isTried({}));
  }

  get live(): this {
    return this;
  }

  async get<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T> {
    const resource = this.#resource(token);
    const path = objectPath(resource, key);
    const accept = acceptOf(resource, false);
    return nameKind((await this.#rest.request({ method: "GET", path, ...accept })) as T, resource);
  }

  async find<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T | undefined> {
    try {
      return await this.get(token, key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // The server names the missing object; an answer without a name means that the kind is not
      // served.
      if (error.status.details?.name !== undefined) return undefined;
      const resource = groupResourceOf(resourceOf(token));
      throw failure(
        404,
        "NotFound",
        `${error.message}: ${resource} is not served; is its CRD installed?`,
      );
    }
  }

  async list<T extends KubeObject>(token: ReadToken<T>, options: ListOptions = {}): Promise<T[]> {
    assertServed(resourceOf(token), options);
    const objects: T[] = [];
    for await (const object of this.listAll(token, options)) objects.push(object);
    return objects;
  }

  async *listAll<T extends KubeObject>(
    token: ReadToken<T>,
    options: Selection = {},
  ): AsyncGenerator<T> {
    const resource = this.#resource(token);
    assertServed(resource, options);
    let next: string | undefined;
    do {
      const list: KubeList<T> = completeList(
        await this.#rest.request({
          method: "GET",
          path: collectionPath(resource, options.namespace),
          query: { ...selectionOf(options), limit: PAGE_SIZE, continue: next },
          ...acceptOf(resource, true),
          signal: options.signal,
        }),
        resource,
      );
      for (const item of list.items) {
        if (!isJsonObject(item)) {
          throw brokenAnswer(`the list of ${resource.plural} has an item that is not an object`);
        }
        yield nameKind(item, resource);
      }
      next = list.metadata.continue;
    } while (next);
  }

  async watch<T extends KubeObject>(
    token: ReadToken<T>,
    options: Selection & { readonly resourceVersion?: string | undefined } = {},
  ): Promise<WatchStream<T>> {
    const resource = this.#resource(token);
    assertServed(resource, options);
    const stream = await this.#rest.watch<T>({
      path: collectionPath(resource, options.namespace),
      ...acceptOf(resource, false),
      query: {
        ...selectionOf(options),
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: options.resourceVersion,
      },
      signal: options.signal,
    });
    return nameKinds(stream, resource);
  }

  async create<T extends SentObject>(
    token: Token<T>,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const resource = this.#resource(token);
    assertWhole(resource, "created");
    const path = collectionPath(resource, object.metadata?.namespace);
    return this.#write<T>("POST", path, { body: typed(object, resource), options });
  }

  async update<T extends KubeObject>(
    token: Token<T>,
    object: NoInfer<T> & Whole,
    options: WriteOptions = {},
  ): Promise<T> {
    const resource = this.#resource(token);
    assertWhole(resource, "updated");
    const body = typed(object, resource);
    const path = objectPath(resource, keyOf(object));
    return this.#write<T>("PUT", path, { body, options });
  }

  async patch<T extends KubeObject>(
    token: ReadToken<T>,
    key: ObjectKey,
    patch: Patch,
    options: PatchOptions = {},
  ): Promise<T> {
    const resource = this.#resource(token);
    const path = objectPath(resource, key);
    const object = await this.#write<T>("PATCH", path, patchContent(key, patch, options));
    // A cache of whole objects may hold the whole answer, which was requested nevertheless.
    return isWhole(resource) ? object : (metadataPart(object) as T);
  }

  async apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options: ApplyOptions = {},
  ): Promise<T> {
    const { owner, ...rest } = options;
    if (!owner) return this.#apply<T>(token, intent, rest);
    assertWhole(resourceOf(token), "applied");
    return this.applyOver(token, intent, { ...rest, owner });
  }

  /**
   * Applies for an owner, unless another object controls the present one.
   *
   * @param known - the known object; it is read when left out
   * @throws TsopError `already-owned`
   */
  applyOver<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    { owner, ...options }: ApplyOptions & { readonly owner: KubeObject },
    ...known: [] | [KubeObject | undefined]
  ): Promise<T> {
    return applyAsOwner(this, { token, intent, owner, known }, (checked) =>
      this.#apply(token, checked, options),
    );
  }

  async delete(token: ReadToken, key: ObjectKey, chosen: DeleteOptions = {}): Promise<void> {
    const options = { ...chosen, dryRun: this.#isTried(chosen) };
    const resource = this.#resource(token);
    const path = objectPath(resource, key);
    const answer = await this.#rest.request({ method: "DELETE", path, ...deletion(options) });
    if (options.dryRun) return;
    // A `Status` means that the object is gone; an object, that a finalizer still holds it.
    const { kind, details } = answer as Partial<Status>;
    if (kind !== "Status") this.#observer?.noteWritten(answer as KubeObject);
    else if (details?.uid !== undefined) this.#observer?.noteDeleted(resource, key, details.uid);
  }

  async deleteAllOf(token: ReadToken, chosen: Selection & DeleteOptions = {}): Promise<void> {
    const options = { ...chosen, dryRun: this.#isTried(chosen) };
    const resource = this.#resource(token);
    assertDeletion(resource, options);
    const path = collectionPath(resource, options.namespace);
    const query = selectionOf(options);
    await this.#rest.request({ method: "DELETE", path, query, ...deletion(options) });
  }

  get status(): StatusClient {
    return {
      patch: async (object, change, options = {}) => {
        if (typeof change === "function") return patchStatusFrom(this, object, change, options);
        const { optimisticLock, ...write } = options;
        const resource = await this.#discovery.ofObject(object);
        const path = objectPath(resource, keyOf(object), "status");
        const patch = lockedStatusPatch(object, change, optimisticLock);
        return this.#write("PATCH", path, { ...patch, options: write });
      },
      update: async <T extends KubeObject & { status?: object }>(
        object: T,
        options: WriteOptions = {},
      ) => {
        const resource = await this.#discovery.ofObject(object);
        assertNotPartial(object, resource.kind);
        const path = objectPath(resource, keyOf(object), "status");
        return this.#write<T>("PUT", path, { body: object, options });
      },
      apply: <T extends KubeObject>(
        token: Token<T>,
        intent: Intent<T>,
        options: ApplyStatusOptions = {},
      ) => this.#apply<T>(token, intent, options, "status"),
    };
  }

  subresource(name: string): SubresourceClient {
    const pathOf = (token: Token, key: ObjectKey): string =>
      objectPath(this.#resource(token), key, name);
    return {
      get: async (token, key) =>
        (await this.#rest.request({ method: "GET", path: pathOf(token, key) })) as KubeObject,
      create: (token, key, body, options = {}) =>
        this.#write("POST", pathOf(token, key), { body, options }),
      update: (token, key, body, options = {}) =>
        this.#write("PUT", pathOf(token, key), { body, options }),
      patch: async (token, key, patch, options = {}) =>
        this.#write("PATCH", pathOf(token, key), patchContent(key, patch, options)),
    };
  }

  async raw(request: RawRequest): Promise<RawAnswer> {
    return (await this.#rest.request(rawRequest(request, this.defaults))) as RawAnswer;
  }

  async dynamic(apiVersion: string, kind: string, plural?: string): Promise<ResourceType> {
    return this.#discovery.of(apiVersion, kind, plural);
  }

  async #apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    { force = true, ...options }: ApplyStatusOptions,
    subresource?: string,
  ): Promise<T> {
    const resource = this.#resource(token);
    assertWhole(resource, "applied");
    const body = typed(intent, resource);
    delete body.metadata.managedFields;
    const path = objectPath(resource, keyOf(intent), subresource);
    return this.#write<T>("PATCH", path, { body, contentType: APPLY, options }, { force });
  }

  async #write<T extends SentObject>(
    method: RestRequest["method"],
    path: string,
    content: {
      readonly body: unknown;
      readonly contentType?: string;
      readonly options: WriteOptions;
    },
    query: Query = {},
  ): Promise<T> {
    const { options: chosen, ...body } = content;
    const options = {
      ...chosen,
      fieldManager: chosen.fieldManager ?? this.defaults.fieldManager,
      fieldValidation: chosen.fieldValidation ?? this.defaults.fieldValidation,
      dryRun: this.#isTried(chosen),
    };
    const object = (await this.#rest.request({
      method,
      path,
      query: {
        fieldManager: options.fieldManager,
        dryRun: options.dryRun ? "All" : undefined,
        fieldValidation: options.fieldValidation,
        ...query,
      },
      ...body,
      signal: options.signal,
    })) as T;
    // A stored object is whole; a dry run's answer must not reach a cache.
    if (!options.dryRun) this.#observer?.noteWritten(object as KubeObject);
    return object;
  }

  /** A dry-run client writes nothing, whatever the options of a call are. */
  #isTried({ dryRun = false }: { readonly dryRun?: boolean | undefined }): boolean {
    return dryRun || this.defaults.dryRun === true;
  }

  #resource(token: ReadToken<SentObject>): ResourceInfo {
    const resource = resourceOf(token);
    if (isWhole(resource)) this.#discovery.remember(resource);
    return resource;
  }
}

export function writeDefaults(
  fieldManager: string,
  { dryRun, fieldValidation }: Pick<WriteOptions, "dryRun" | "fieldValidation">,
): WriteDefaults {
  return { fieldManager, ...present({ dryRun, fieldValidation }) };
}
