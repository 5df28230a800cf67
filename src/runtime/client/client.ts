/** The client of a reconciler: reads and writes of all kinds, typed by their tokens. */
import type { Intent, NewObject } from "../../kube/input.ts";
import type { KubeObject, ObjectKey, SentObject } from "../../kube/object.ts";
import type { ReadToken, ResourceType, Token, Whole } from "../../kube/resource.ts";
import type { Patch } from "./patches.ts";
import type { PodClient } from "./pods/pod-client.ts";
import type { RawAnswer } from "../rest/raw-answer.ts";
import type { RawRequest } from "../rest/raw-request.ts";
import type { ListOptions, Selection } from "../rest/selection.ts";
import type { WatchStream } from "../rest/watch-events.ts";

/** The options of a write. */
export interface WriteOptions {
  /** The field manager, in managedFields; the manager's name when absent. */
  readonly fieldManager?: string | undefined;
  /** Makes the server check and answer, and store nothing. */
  readonly dryRun?: boolean | undefined;
  /** The server's treatment of unknown fields; it warns when absent. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The options of a patch. */
export interface PatchOptions extends WriteOptions {
  /**
   * The object as it was read: the server refuses the patch (409) when it changed since. For
   * patches that depend on the object as it was read, such as one that replaces a list.
   *
   * @example
   * const args = [...container.args, "--verbose"];
   * await client.patch(Widget, keyOf(widget), mergePatch({ spec: { args } }), { optimisticLock: widget });
   */
  readonly optimisticLock?: KubeObject | undefined;
}

/** The options of an apply of the status. */
export interface ApplyStatusOptions extends WriteOptions {
  /**
   * Takes over fields that others own; true when absent, as the API conventions ask of controllers. When
   * false, a conflict is a `StatusError` 409.
   */
  readonly force?: boolean | undefined;
}

/** The options of an apply. */
export interface ApplyOptions extends ApplyStatusOptions {
  /**
   * Makes this object the controller of the applied one, which gets its namespace if it has none.
   * An object with another controller is refused and left as it is; one without a controller is
   * adopted.
   */
  readonly owner?: KubeObject | undefined;
}

/** The options of a patch of the status. */
export interface StatusPatchOptions extends WriteOptions {
  /**
   * The server refuses the patch (409) when the object changed since it was read. When absent: true
   * for a patch with `conditions` in it, a list with several writers.
   */
  readonly optimisticLock?: boolean | undefined;
}

/** The options of a deletion. */
export interface DeleteOptions {
  /** The treatment of dependents. */
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** Deletes the object only if it has this uid and version. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads. Those from a cache give frozen objects, shared by all readers: copy one with `mutableCopy` to change it.
 */
export interface Reader {
  /**
   * The object of that key.
   *
   * @throws StatusError 404 when there is none
   */
  get<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T>;
  /** The object, or `undefined` when there is none. */
  find<T extends KubeObject>(token: ReadToken<T>, key: ObjectKey): Promise<T | undefined>;
  /**
   * All objects that fit, at once. With `fields` they come from the server, with `index` from the cache.
   *
   * @throws TsopError `index-missing` where there is no such index; SelectorError
   */
  list<T extends KubeObject>(token: ReadToken<T>, options?: ListOptions): Promise<T[]>;
  /** All objects that fit, page by page from the server: for kinds too large to hold. */
  listAll<T extends KubeObject>(token: ReadToken<T>, options?: Selection): AsyncIterable<T>;
}

/** Writes of the status subresource. The object itself says which kind it is. */
export interface StatusClient {
  /**
   * Sets the given fields of the status and leaves the others; `null` removes one. A list is
   * replaced as a whole, so give a function where others write to it as well, as to `conditions`:
   * it returns the fields for the current status, and is called again after a conflict, so that no
   * write of others is lost.
   *
   * @example
   * await client.status.patch(web, (status) => ({
   *   readyReplicas: 2,
   *   conditions: setCondition(status?.conditions, ready, nowMs),
   * }));
   *
   * @throws StatusError 409 when there is a lock and the object changed since it was read
   */
  patch<T extends KubeObject & { status?: object } & Whole>(
    object: T,
    status: StatusPatch<T> | ((status: T["status"]) => StatusPatch<T>),
    options?: StatusPatchOptions,
  ): Promise<T>;
  /** Replaces the status. @throws StatusError 409 when the object changed since it was read */
  update<T extends KubeObject & { status?: object } & Whole>(
    object: T,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply of the status. */
  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options?: ApplyStatusOptions,
  ): Promise<T>;
}

/** Fields of a status: `null` removes one, `undefined` leaves it as it is. */
export type StatusPatch<T extends { status?: object }> = {
  [K in keyof NonNullable<T["status"]>]?: NonNullable<T["status"]>[K] | null | undefined;
};

/** Reads and writes of another subresource, such as `scale`. */
export interface SubresourceClient {
  /** The server's answer, which may be of another kind: a `Scale` of a Deployment. */
  get(token: Token, key: ObjectKey): Promise<SentObject>;
  /** Posts a body of the subresource's kind: a `Binding`, an `Eviction`, a `TokenRequest`. */
  create(token: Token, key: ObjectKey, body: object, options?: WriteOptions): Promise<SentObject>;
  /** Replaces the subresource. @throws StatusError 409 when the object changed since it was read */
  update(token: Token, key: ObjectKey, body: object, options?: WriteOptions): Promise<SentObject>;
  /**
   * Patches the subresource. @throws StatusError 409 when there is a lock and the object changed
   */
  patch(token: Token, key: ObjectKey, patch: Patch, options?: PatchOptions): Promise<SentObject>;
}

/**
 * Reads and writes objects of any kind. Refusals are `StatusError`s, an unreachable server is a
 * `ConnectionError`.
 */
export interface Client extends Reader {
  readonly status: StatusClient;
  /** Logs of pods, commands in them, connections to them. */
  readonly pods: PodClient;
  /** The same client, reading from the server and never from the cache. */
  readonly live: Client;
  /**
   * Creates an object, and returns it as the server stored it.
   *
   * @throws StatusError 409 AlreadyExists; 422 Invalid, with a cause for each field
   */
  create<T extends SentObject>(
    token: Token<T>,
    object: NewObject<T>,
    options?: WriteOptions,
  ): Promise<T>;
  /** Replaces an object that was read. @throws StatusError 409 Conflict when it changed since */
  update<T extends KubeObject>(
    token: Token<T>,
    object: NoInfer<T> & Whole,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Changes some fields of an object, in one of the three ways of the API: `mergePatch`, `jsonPatch`,
   * `strategicPatch`.
   *
   * @throws StatusError 404 when there is none; 409 Conflict when there is a lock and the object changed, or the patch
   *   names another `resourceVersion`
   * @throws TsopError `lock-without-version`, `lock-of-another-object`
   */
  patch<T extends KubeObject>(
    token: ReadToken<T>,
    key: ObjectKey,
    patch: Patch,
    options?: PatchOptions,
  ): Promise<T>;
  /**
   * Server-side apply: creates the object, or sets exactly these fields of it.
   *
   * @throws TsopError `already-owned` when there is an `owner` and another object controls it
   */
  apply<T extends KubeObject>(
    token: Token<T>,
    intent: Intent<T>,
    options?: ApplyOptions,
  ): Promise<T>;
  /**
   * Deletes an object, or marks it for deletion while it has finalizers. Without a propagation
   * policy the server's default applies, which leaves the pods of a Job.
   *
   * @throws StatusError 404 when there is none; 409 Conflict when the preconditions do not hold
   */
  delete(token: ReadToken, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /**
   * Deletes all selected objects: of one namespace, or of a cluster-scoped kind.
   *
   * @throws TsopError `delete-in-all-namespaces`, `empty-selector`
   */
  deleteAllOf(token: ReadToken, options?: Selection & DeleteOptions): Promise<void>;
  /** The raw events of a watch; reconcilers rather use informers. */
  watch<T extends KubeObject>(
    token: ReadToken<T>,
    options?: Selection & { readonly resourceVersion?: string | undefined },
  ): Promise<WatchStream<T>>;
  /** Reads and writes of a subresource: `client.subresource("scale")`. */
  subresource(name: string): SubresourceClient;
  /**
   * A token for a kind without a type in the program; asks the server for its plural and scope.
   *
   * @param plural - needed only where the server has several resources of one kind
   * @throws TsopError `kind-not-served`
   */
  dynamic(apiVersion: string, kind: string, plural?: string): Promise<ResourceType>;
  /**
   * Sends a request of any path: `/version`, `/apis/metrics.k8s.io/v1beta1/nodes`, the proxy of a
   * service. It passes through middlewares and metrics like any other request, and a process that
   * lost the lead does not send it if it may write.
   *
   * @throws StatusError when the server refuses
   * @throws TsopError `bad-raw-path`, `dry-run-impossible`
   */
  raw(request: RawRequest): Promise<RawAnswer>;
}
