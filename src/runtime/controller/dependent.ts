/**
 * What an owner wants, as a graph: objects, and what is outside of the cluster, each after what it needs.
 *
 * What something comes after is named by value, so it must have been made before: a circle cannot be written that way.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { Token } from "../../kube/resource.ts";
import type { AnyIntent, Intent } from "../../kube/input.ts";

/** What becomes of an object whose change the server refuses because a field cannot change. */
export type OnImmutable = "recreate" | "fail";

/** How an object is kept; everything may be left out. */
export interface DependentOptions<T extends KubeObject> {
  /**
   * What must be ready before: other dependents of the same list; `[]` is nothing, so that it begins at once. When absent:
   * the one before it in the list.
   */
  readonly after?: readonly Dependent[];
  /** Whether what comes after it may begin; when absent: whether kstatus says `Current`. */
  readonly ready?: (object: T) => boolean;
  /**
   * `"recreate"` deletes the object, and makes it anew when it is gone with all that it owns, where the server refuses a
   * change of a field that cannot change, as of a Job's template. `"fail"`, when absent: the reconcile fails.
   */
  readonly onImmutable?: OnImmutable;
}

/** What an external resource is told beside its owner. */
export interface ExternalContext {
  readonly signal?: AbortSignal | undefined;
}

/** What is made outside of the cluster for an owner. */
export interface ExternalOptions<O extends KubeObject, S> {
  /** In messages, and in what is waited for. */
  readonly name: string;
  /** Makes it as the owner wants it, and finds its own work done; gives what `ready` is asked about. */
  ensure(owner: O, context: ExternalContext): Promise<S>;
  /** Whether what comes after it may begin; at once when absent. */
  ready?(state: S): boolean;
  /** Takes it away, and finds its own work done. `false`: it is not gone yet, and is asked again. */
  remove(owner: O, context: ExternalContext): Promise<boolean | undefined>;
}

/** Something outside of the cluster: the result of `external(...)`. */
export interface External<O extends KubeObject = KubeObject> {
  readonly name: string;
  /** Makes it; whether it is ready. */
  ensure(owner: O, context: ExternalContext): Promise<boolean>;
  /** Takes it away; whether it is gone. */
  remove(owner: O, context: ExternalContext): Promise<boolean>;
}

/** An object that is wanted. */
export interface ObjectDependent {
  readonly is: "object";
  readonly token: Token;
  readonly intent: AnyIntent;
  readonly isReady: ((object: KubeObject) => boolean) | undefined;
  readonly onImmutable: OnImmutable;
  readonly after: readonly Dependent[] | undefined;
}

/** Something outside of the cluster that is wanted. */
export interface ExternalDependent {
  readonly is: "external";
  readonly external: External;
  readonly after: readonly Dependent[] | undefined;
}

/** One thing that is wanted. Made by `dependent`, which knows its type. */
export type Dependent = ObjectDependent | ExternalDependent;

/**
 * What an owner wants: an object, as the part of it that matters, for server-side apply; or something that `external` made.
 *
 * @example
 * const config = dependent(ConfigMap, configMapFor(web));
 * const database = dependent(StatefulSet, databaseFor(web), { after: [] });
 * return [config, database, dependent(Deployment, deploymentFor(web), { after: [config, database] })];
 */
export function dependent<T extends KubeObject>(
  token: Token<T>,
  intent: Intent<T>,
  options?: DependentOptions<T>,
): Dependent;
export function dependent<O extends KubeObject>(
  external: External<O>,
  options?: Pick<DependentOptions<O>, "after">,
): Dependent;
export function dependent<T extends KubeObject>(
  what: Token<T> | External<T>,
  second: Intent<T> | Pick<DependentOptions<T>, "after"> = {},
  { after, ready, onImmutable = "fail" }: DependentOptions<T> = {},
): Dependent {
  if (isExternal(what)) {
    const { after: before } = second as Pick<DependentOptions<T>, "after">;
    return { is: "external", external: what, after: before && [...before] };
  }
  return {
    is: "object",
    token: what,
    intent: second as Intent<T>,
    // What is asked about is what the apply of this token answered.
    isReady: ready && ((object) => ready(object as T)),
    onImmutable,
    after: after && [...after],
  };
}

/**
 * Something outside of the cluster that an owner wants: a bucket, a DNS entry, a database's user. It is removed when it is
 * wanted no longer, and by the `cleanup` of the dependents; so the reconciler must have one.
 *
 * @example
 * const bucket = external({
 *   name: "bucket",
 *   ensure: (web: Web) => storage.ensureBucket(web.metadata.uid),
 *   ready: ({ state }) => state === "active",
 *   remove: (web) => storage.removeBucket(web.metadata.uid),
 * });
 */
export function external<O extends KubeObject, S = unknown>(
  options: ExternalOptions<O, S>,
): External<O> {
  return {
    name: options.name,
    async ensure(owner, context) {
      const state = await options.ensure(owner, context);
      return options.ready?.(state) ?? true;
    },
    async remove(owner, context) {
      return (await options.remove(owner, context)) ?? true;
    },
  };
}

function isExternal<T extends KubeObject>(what: Token<T> | External<T>): what is External<T> {
  return typeof what === "object" && "ensure" in what;
}
