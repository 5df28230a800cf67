/**
 * What an object wants to exist, as one function: applied in its order, each once the one before is ready, and deleted
 * when it is wanted no longer. It is no engine of its own: a reconciler calls it, and what it watches are owned kinds.
 *
 * @module
 */
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { controllerOf } from "../../kube/owner.ts";
import { resourceOf, type Token } from "../../kube/resource.ts";
import { isNotFound } from "../../kube/status.ts";
import type { IndexFunction } from "../cache/indexer.ts";
import type { Client, Intent } from "../client/client.ts";

/** One object that is wanted. Made by `dependent`, which knows its type. */
export interface Dependent {
  readonly token: Token;
  readonly intent: Intent<KubeObject>;
  readonly isReady: (object: KubeObject) => boolean;
}

/**
 * An object that an owner wants: the part of it that matters, for server-side apply.
 *
 * @param isReady - whether what comes after it may be applied; at once when absent
 */
export function dependent<T extends KubeObject>(
  token: Token<T>,
  intent: Intent<T>,
  isReady?: (object: T) => boolean,
): Dependent {
  return {
    token,
    intent: intent,
    // What is asked about is what the apply of this token answered.
    isReady: (object) => isReady?.(object as T) ?? true,
  };
}

/** Which objects an owner wants. */
export interface DependentsOptions<O extends KubeObject> {
  /** All kinds that `desired` ever names: these are watched, and looked through for what is wanted no longer. */
  readonly kinds: readonly Token[];
  /** What the owner wants now, in the order in which it is applied. Names must not be random. */
  readonly desired: (owner: O) => readonly Dependent[] | Promise<readonly Dependent[]>;
}

/** The index by which what an owner controls is found. */
export const CONTROLLER_INDEX = "tsop.dev/controller-uid";

/** Under which uid an object is found in `CONTROLLER_INDEX`. */
export const controllerUids: IndexFunction<KubeObject> = (object) => {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
};

/** How far the dependents are. */
export interface DependentsState {
  /** Everything is applied and ready. */
  readonly ready: boolean;
  /** The first that is not ready: `Deployment d/web`. What comes after it was not applied. */
  readonly waitingFor?: string;
  /** What was applied, as the server has it, in order. */
  readonly objects: readonly KubeObject[];
  /** What was deleted because it is wanted no longer. */
  readonly pruned: readonly string[];
}

/**
 * Keeps the objects of a kind's objects as they are wanted. Its kinds must be watched by a controller:
 * `controllerFor(manager).for(Web).dependents(dependents)`.
 */
export class Dependents<O extends KubeObject = KubeObject> {
  /** The kinds to watch. */
  readonly kinds: readonly Token[];
  readonly #client: Client;
  readonly #desired: DependentsOptions<O>["desired"];

  constructor(client: Client, { kinds, desired }: DependentsOptions<O>) {
    this.#client = client;
    this.kinds = kinds;
    this.#desired = desired;
  }

  /**
   * Applies what `owner` wants up to the first that is not ready, and deletes what it controls and wants no longer.
   * An owner that is being deleted wants nothing new: what it has is collected with it.
   *
   * @throws StatusError, ConnectionError
   */
  async reconcile(owner: O, signal?: AbortSignal): Promise<DependentsState> {
    if (owner.metadata.deletionTimestamp !== undefined) {
      return { ready: false, waitingFor: "the end of its owner", objects: [], pruned: [] };
    }
    const desired = await this.#desired(owner);
    const objects: KubeObject[] = [];
    let waitingFor: string | undefined;
    for (const { token, intent, isReady } of desired) {
      const options = { owner, ...(signal ? { signal } : {}) };
      const object = await this.#client.apply(token, intent, options);
      objects.push(object);
      if (isReady(object)) continue;
      waitingFor = nameOf(token, keyOf(object));
      break;
    }
    const pruned = await this.#prune(owner, desired);
    return {
      ready: waitingFor === undefined,
      ...(waitingFor === undefined ? {} : { waitingFor }),
      objects,
      pruned,
    };
  }

  /** The last kind first: what depends goes before what it depends on. */
  async #prune(owner: O, desired: readonly Dependent[]): Promise<string[]> {
    const { namespace, uid = "" } = owner.metadata;
    const wanted = new Set(
      desired.map(({ token, intent: { metadata } }) => {
        const { name = "", namespace: own = namespace } = metadata;
        return nameOf(token, { name, ...inNamespace(token, own) });
      }),
    );
    const pruned: string[] = [];
    for (const token of this.kinds.toReversed()) {
      const index = { name: CONTROLLER_INDEX, value: uid };
      for (const object of await this.#client.list(token, { index })) {
        const name = nameOf(token, keyOf(object));
        const { deletionTimestamp, uid: objectUid } = object.metadata;
        if (wanted.has(name) || deletionTimestamp !== undefined || !objectUid) continue;
        await this.#client
          .delete(token, keyOf(object), { preconditions: { uid: objectUid } })
          .catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
        pruned.push(name);
      }
    }
    return pruned;
  }
}

function inNamespace(token: Token, namespace: string | undefined): { namespace?: string } {
  return namespace !== undefined && resourceOf(token).namespaced ? { namespace } : {};
}

function nameOf(token: Token, key: ObjectKey): string {
  return `${resourceOf(token).kind} ${formatKey(key)}`;
}
