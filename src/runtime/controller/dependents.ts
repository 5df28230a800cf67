/**
 * What an object wants to exist, as one function: applied in its order, each once the one before is ready, and deleted
 * when it is wanted no longer. It is no engine of its own: a reconciler calls it, and what it watches are owned kinds.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { controllerOf } from "../../kube/owner.ts";
import {
  groupResourceOf,
  parseApiVersion,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
  type Token,
} from "../../kube/resource.ts";
import { isNotFound } from "../../kube/status.ts";
import { bindMethods } from "../bind-methods.ts";
import type { Cache } from "../cache/cache.ts";
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
  /**
   * All kinds that `desired` ever names: these are watched, and looked through for what is wanted no longer. Objects of
   * these kinds that the owner controls and `desired` does not name are deleted, whoever made them.
   */
  readonly kinds: readonly ReadToken[];
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

/** What dependents work with; a controller's builder has it. */
interface DependentsParts {
  readonly client: Client;
  /** Has all kinds of the dependents, with `CONTROLLER_INDEX`. */
  readonly cache: Cache;
  /** The kind of the owners. */
  readonly owner: ResourceInfo;
}

/** One of the wanted objects, and where it goes. */
interface Wanted {
  readonly dependent: Dependent;
  /** `ConfigMap d/web`. */
  readonly name: string;
}

/**
 * Keeps the objects of a kind's objects as they are wanted. A controller's builder makes it, so that its kinds are
 * watched: `controllerFor(manager).for(Web).dependents({ kinds, desired })`.
 */
export class Dependents<O extends KubeObject = KubeObject> {
  readonly #parts: DependentsParts;
  readonly #kinds: readonly ReadToken[];
  readonly #desired: (owner: O) => readonly Dependent[] | Promise<readonly Dependent[]>;

  constructor(parts: DependentsParts, { kinds, desired }: DependentsOptions<O>) {
    this.#parts = parts;
    this.#kinds = kinds;
    this.#desired = desired;
    bindMethods(this, Dependents);
  }

  /**
   * Applies what `owner` wants up to the first that is not ready, and deletes what it controls and wants no longer.
   * An owner that is being deleted wants nothing new: what it has is collected with it.
   *
   * @throws TsopError `dependents-misused` before anything is written: an owner of another kind, a dependent of a kind
   *   that is not among `kinds`, or named twice; `dependents-not-watched` while the cache does not have all of them;
   *   `already-owned`; StatusError, ConnectionError
   */
  async reconcile(owner: O, signal?: AbortSignal): Promise<DependentsState> {
    this.#assertOwner(owner);
    if (owner.metadata.deletionTimestamp !== undefined) {
      return { ready: false, waitingFor: "the end of its owner", objects: [], pruned: [] };
    }
    const wanted = this.#wantedOf(owner, await this.#desired(owner));
    this.#assertWatched(owner, wanted);
    const objects: KubeObject[] = [];
    let waitingFor: string | undefined;
    for (const { dependent, name } of wanted) {
      const { token, intent, isReady } = dependent;
      const options = { owner, ...(signal ? { signal } : {}) };
      const object = await this.#parts.client.apply(token, intent, options);
      objects.push(object);
      if (isReady(object)) continue;
      waitingFor = name;
      break;
    }
    const pruned = await this.#prune(owner, new Set(wanted.map(({ name }) => name)), signal);
    return {
      ready: waitingFor === undefined,
      ...(waitingFor === undefined ? {} : { waitingFor }),
      objects,
      pruned,
    };
  }

  #assertOwner({ apiVersion, kind, metadata }: O): void {
    const { owner } = this.#parts;
    if (kind !== owner.kind || parseApiVersion(apiVersion).group !== owner.group) {
      throw misused(
        `The ${kind} ${metadata.name ?? ""} is no ${owner.kind}, whose dependents these are`,
        "Pass an object of the kind that for() was called with.",
      );
    }
    if (metadata.uid) return;
    throw misused(
      `The ${kind} ${metadata.name ?? ""} has no uid, so nothing can be said to be its own`,
      "Pass the object as the API server returned it.",
    );
  }

  /** The dependents with their names. @throws TsopError `dependents-misused` */
  #wantedOf(owner: O, desired: readonly Dependent[]): Wanted[] {
    const names = new Set<string>();
    return desired.map((dependent) => {
      const { token, intent } = dependent;
      const { name: own = "", namespace = owner.metadata.namespace } = intent.metadata;
      const name = nameOf(token, { name: own, ...inNamespace(token, namespace) });
      if (!this.#kinds.some((kind) => isSameKind(kind, token))) {
        throw misused(
          `${name} is wanted by the ${owner.kind} ${owner.metadata.name ?? ""}, but ${resourceOf(token).kind} is not among the kinds`,
          "Add the kind to `kinds` of dependents(): only what is watched is kept, and found when it is wanted no longer.",
        );
      }
      if (names.has(name)) {
        throw misused(
          `${name} is wanted twice by the ${owner.kind} ${owner.metadata.name ?? ""}`,
          "Name it once: the second would undo what the first says.",
        );
      }
      names.add(name);
      return { dependent, name };
    });
  }

  /** Without the whole picture nothing is deleted, and what is applied might never be found again. */
  #assertWatched(owner: O, wanted: readonly Wanted[]): void {
    const { namespace } = owner.metadata;
    const places = [
      ...this.#kinds.map((token) => ({ token, in: inNamespace(token, namespace).namespace })),
      ...wanted.map(({ dependent: { token, intent } }) => ({
        token: this.#kinds.find((kind) => isSameKind(kind, token)) ?? token,
        in: inNamespace(token, intent.metadata.namespace ?? namespace).namespace,
      })),
    ];
    for (const { token, in: place } of places) {
      const informers = this.#parts.cache.findInformers(token, place);
      if (informers?.every(({ indexer }) => indexer.hasIndex(CONTROLLER_INDEX))) continue;
      const kinds = groupResourceOf(resourceOf(token));
      throw new TsopError(
        "dependents-not-watched",
        `The ${kinds} that the ${owner.kind} ${owner.metadata.name ?? ""} controls are not known: ${this.#parts.cache.whyNot(token, place)}.`,
        "Reconcile dependents in the reconciler of their controller, while the manager runs and watches their namespace.",
      );
    }
  }

  /** The last kind first: what depends goes before what it depends on. */
  async #prune(owner: O, wanted: ReadonlySet<string>, signal?: AbortSignal): Promise<string[]> {
    const { namespace, uid = "" } = owner.metadata;
    const { client } = this.#parts;
    const pruned: string[] = [];
    for (const token of this.#kinds.toReversed()) {
      // The reference of what is in no namespace cannot mean an owner that is in one.
      if (namespace && !resourceOf(token).namespaced) continue;
      const index = { name: CONTROLLER_INDEX, value: uid };
      for (const object of await client.list(token, { namespace, index })) {
        const name = nameOf(token, keyOf(object));
        const { deletionTimestamp, uid: own = "", resourceVersion = "" } = object.metadata;
        if (wanted.has(name) || deletionTimestamp !== undefined) continue;
        if (controllerOf(object)?.uid !== uid || own === "" || resourceVersion === "") continue;
        const options = {
          // It is deleted only as it was looked at: what changed since may have another controller.
          preconditions: { uid: own, resourceVersion },
          // What it owns goes with it: for Jobs that is not the server's default.
          propagationPolicy: "Background" as const,
          ...(signal ? { signal } : {}),
        };
        await client.delete(token, keyOf(object), options).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        pruned.push(name);
      }
    }
    return pruned;
  }
}

function misused(detail: string, fix: string): TsopError {
  return new TsopError("dependents-misused", `${detail}.`, fix);
}

function isSameKind(a: ReadToken, b: ReadToken): boolean {
  return groupResourceOf(resourceOf(a)) === groupResourceOf(resourceOf(b));
}

function inNamespace(token: ReadToken, namespace: string | undefined): { namespace?: string } {
  return namespace !== undefined && resourceOf(token).namespaced ? { namespace } : {};
}

function nameOf(token: ReadToken, key: ObjectKey): string {
  return `${resourceOf(token).kind} ${formatKey(key)}`;
}
