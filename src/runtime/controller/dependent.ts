/**
 * The dependents of an owner as a graph: objects, and external resources, each after the ones that
 * it needs.
 *
 * Predecessors are named by value, so they must have been created before: a cycle cannot be written
 * that way.
 */
import type { KubeObject } from "../../kube/object.ts";
import type { Token } from "../../kube/resource.ts";
import type { AnyIntent, Intent } from "../../kube/input.ts";

/** The handling of an object whose change the server refuses because a field is immutable. */
export type OnImmutable = "recreate" | "fail";

/** The options of a dependent object; every field is optional. */
export interface DependentOptions<T extends KubeObject> {
  /**
   * The dependents of the same list that must be ready before this one; `[]` for none, so that it
   * begins at once. When absent: the one before it in the list.
   */
  readonly after?: readonly Dependent[];
  /**
   * Whether the object is ready, so that its successors may begin; when absent: whether kstatus
   * says `Current`.
   */
  readonly ready?: (object: T) => boolean;
  /**
   * `"recreate"` deletes the object where the server refuses a change of an immutable field, such
   * as a Job's template, and creates it again when it is gone with all its dependents. `"fail"`,
   * when absent: the reconcile fails.
   */
  readonly onImmutable?: OnImmutable;
}

/** The context of a call of an external resource, beside its owner. */
export interface ExternalContext {
  readonly signal?: AbortSignal | undefined;
}

/** The options of an external resource, which is made outside of the cluster for an owner. */
export interface ExternalOptions<O extends KubeObject, S> {
  /** The name in messages, and in `waitingFor`. */
  readonly name: string;
  /**
   * Creates or updates it as the owner wants it; idempotent. Returns the state that `ready` checks.
   */
  ensure(owner: O, context: ExternalContext): Promise<S>;
  /** Whether it is ready, so that its successors may begin; at once when absent. */
  ready?(state: S): boolean;
  /** Removes it; idempotent. `false`: it is not gone yet, and the call is repeated. */
  remove(owner: O, context: ExternalContext): Promise<boolean | undefined>;
}

/** An external resource: the result of `external(...)`. */
export interface External<O extends KubeObject = KubeObject> {
  readonly name: string;
  /** Creates or updates it; returns whether it is ready. */
  ensure(owner: O, context: ExternalContext): Promise<boolean>;
  /** Removes it; returns whether it is gone. */
  remove(owner: O, context: ExternalContext): Promise<boolean>;
}

/** A wanted object. */
export interface ObjectDependent {
  readonly is: "object";
  readonly token: Token;
  readonly intent: AnyIntent;
  readonly isReady: ((object: KubeObject) => boolean) | undefined;
  readonly onImmutable: OnImmutable;
  readonly after: readonly Dependent[] | undefined;
}

/** A wanted external resource. */
export interface ExternalDependent {
  readonly is: "external";
  readonly external: External;
  readonly after: readonly Dependent[] | undefined;
}

/** A wanted object or external resource. Made by `dependent`, which knows its type. */
export type Dependent = ObjectDependent | ExternalDependent;

/**
 * Declares a dependent of an owner: an object, as the intent of a server-side apply, or an external
 * resource of `external`.
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
    // The checked object is the answer to an apply with this token.
    isReady: ready && ((object) => ready(object as T)),
    onImmutable,
    after: after && [...after],
  };
}

/**
 * Declares an external resource that an owner wants: a bucket, a DNS entry, a database's user. It
 * is removed when it is no longer wanted, and by the `cleanup` of the dependents; so the reconciler
 * must have one.
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
