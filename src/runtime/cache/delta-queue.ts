/**
 * The changes that a reflector received, in their order: client-go's RealFIFO with atomic replaces.
 *
 * Nothing is merged and nothing is reordered, so the order across objects is the server's. A consumer that
 * causes further deltas while it works on one finds them behind those that were there before.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/cache#RealFIFO
 */
import type { KubeObject } from "../../kube/object.ts";

/** One change of the store, or a new list. */
export type Delta<T extends KubeObject> =
  | { readonly type: "Added" | "Updated" | "Deleted"; readonly object: T }
  | {
      readonly type: "Replaced";
      readonly objects: readonly T[];
      readonly resourceVersion: string;
      /** The list is the newest there is, even where it looks older than what is known (a restored etcd). */
      readonly authoritative: boolean;
    }
  | { readonly type: "Sync" };

/** The store that a reflector keeps equal to the server. */
export interface ReflectorStore<T extends KubeObject> {
  /**
   * Gets each object that arrives, before anything else is done with it; equal parts of it may be
   * replaced.
   */
  receive(object: T): void;
  push(delta: Delta<T>): void;
  /** Whether the store knows a newer version of the object. */
  isStale(object: T): boolean;
}

export class DeltaQueue<T extends KubeObject> {
  readonly #consume: (delta: Delta<T>) => void;
  readonly #deltas: Delta<T>[] = [];
  #draining = false;

  constructor(consume: (delta: Delta<T>) => void) {
    this.#consume = consume;
  }

  /** Puts a delta last, and works off the queue unless that is under way. */
  push(delta: Delta<T>): void {
    this.#deltas.push(delta);
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let next = this.#deltas.shift(); next; next = this.#deltas.shift()) this.#consume(next);
    } finally {
      this.#draining = false;
    }
  }
}
