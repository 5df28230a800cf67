/**
 * The objects of one resource in key order, with the changes that led to them.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { Change } from "./change.ts";

/** How many changes are kept for watches and older lists; an eighth more before the oldest are dropped. */
const HISTORY_LENGTH = 16_384;

/** Objects by key, and their history. */
export class Collection {
  readonly #objects = new Map<string, KubeObject>();
  /** The keys, sorted. */
  readonly #keys: string[] = [];
  #changes: Change[] = [];
  #oldestVersion = 0;

  /** The oldest version that the history reaches back to. */
  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  all(): KubeObject[] {
    return this.#range(0, this.#keys.length);
  }

  inNamespace(namespace: string): KubeObject[] {
    const prefix = `${namespace}/`;
    // "0" follows "/" in ASCII, so this bounds all keys with the prefix.
    return this.#range(this.#indexOf(prefix), this.#indexOf(`${namespace}0`));
  }

  /** The objects as they were at `version`, in key order. */
  entriesAt(version: number): (readonly [string, KubeObject])[] {
    const entries = (): (readonly [string, KubeObject])[] =>
      this.#keys.map((key) => [key, this.#objects.get(key) as KubeObject] as const);
    const later = this.changesSince(version);
    if (later.length === 0) return entries();
    const then = new Map(entries());
    for (let index = later.length - 1; index >= 0; index--) {
      const change = later[index] as Change;
      if (change.old) then.set(change.key, change.old);
      else then.delete(change.key);
    }
    return [...then].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The changes after `version`, oldest first. */
  changesSince(version: number): Change[] {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  /** Applies a change and remembers it. */
  record(change: Change): void {
    if (change.type === "DELETED") this.#delete(change.key);
    else this.restore(change.key, change.object);
    this.#changes.push(change);
    if (this.#changes.length > HISTORY_LENGTH * 1.125) {
      const dropped = this.#changes.length - HISTORY_LENGTH;
      this.#oldestVersion = (this.#changes[dropped - 1] as Change).version;
      this.#changes = this.#changes.slice(dropped);
    }
  }

  /** Puts an object in place without a trace in the history. */
  restore(key: string, object: KubeObject): void {
    if (!this.#objects.has(key)) this.#keys.splice(this.#indexOf(key), 0, key);
    this.#objects.set(key, object);
  }

  /** Drops the history. */
  forget(): void {
    this.#changes = [];
  }

  #delete(key: string): void {
    if (this.#objects.delete(key)) this.#keys.splice(this.#indexOf(key), 1);
  }

  #range(from: number, to: number): KubeObject[] {
    const found: KubeObject[] = [];
    for (let index = from; index < to; index++) {
      found.push(this.#objects.get(this.#keys[index] as string) as KubeObject);
    }
    return found;
  }

  /** Where `key` is, or would be. */
  #indexOf(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
