/** The objects of one resource in key order, with the changes that led to them. */
import type { SentObject } from "../../kube/object.ts";
import type { Change } from "./change.ts";
import { SortedKeys, firstIndex } from "./sorted-keys.ts";

/**
 * The number of changes kept for watches and older lists. The oldest are dropped once there are an
 * eighth more.
 */
const HISTORY_LENGTH = 16_384;

/** The objects of a collection at one version. */
export interface State {
  /** The keys, in order. */
  readonly keys: readonly string[];
  get(key: string): SentObject | undefined;
}

/** The objects of a collection by key, and their history. */
export class Collection {
  readonly #objects = new Map<string, SentObject>();
  readonly #keys = new SortedKeys();
  /**
   * All objects in order, cached until one is created, changed or deleted: role bindings are read
   * with each request.
   */
  #all: readonly SentObject[] | undefined;
  #changes: Change[] = [];
  #latest: SentObject | undefined;
  #oldestVersion = 0;

  /** The oldest version that the history covers. */
  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** The object that was stored last: a likely pattern for the next one. */
  get latest(): SentObject | undefined {
    return this.#latest;
  }

  get(key: string): SentObject | undefined {
    return this.#objects.get(key);
  }

  all(): readonly SentObject[] {
    return (this.#all ??= this.#range());
  }

  inNamespace(namespace: string): SentObject[] {
    // "0" follows "/" in ASCII, so this bounds all keys with the prefix.
    return this.#range(`${namespace}/`, `${namespace}0`);
  }

  /**
   * The keys as of `version`, in order, with their objects; from the key `from` on, up to `end`,
   * which is not included.
   */
  stateAt(version: number, from?: string, end?: string): State {
    const later = this.changesSince(version);
    if (later.length === 0) {
      const get = (key: string): SentObject | undefined => this.#objects.get(key);
      return { keys: this.#keys.range(from, end), get };
    }
    const then = new Map(this.#objects);
    for (const { key, old } of later.reverse()) {
      if (old) then.set(key, old);
      else then.delete(key);
    }
    const isMeant = (key: string): boolean =>
      (from === undefined || key >= from) && (end === undefined || key < end);
    return { keys: [...then.keys()].filter(isMeant).sort(), get: (key) => then.get(key) };
  }

  /** The changes after `version`, oldest first. */
  changesSince(version: number): Change[] {
    return this.#changes.slice(firstIndex(this.#changes, (change) => change.version > version));
  }

  /** Applies a change and adds it to the history. */
  record(change: Change): void {
    if (change.type !== "DELETED") this.restore(change.key, change.object);
    else if (this.#objects.delete(change.key)) this.#keys.delete(change.key);
    this.#all = undefined;
    this.#latest = change.object;
    this.#changes.push(change);
    if (this.#changes.length > HISTORY_LENGTH * 1.125) {
      const dropped = this.#changes.length - HISTORY_LENGTH;
      this.#oldestVersion = (this.#changes[dropped - 1] as Change).version;
      this.#changes = this.#changes.slice(dropped);
    }
  }

  /** Puts an object in place without adding to the history. */
  restore(key: string, object: SentObject): void {
    if (!this.#objects.has(key)) this.#keys.add(key);
    this.#objects.set(key, object);
    this.#all = undefined;
  }

  /** Drops the history. */
  forget(): void {
    this.#changes = [];
  }

  #range(from?: string, end?: string): SentObject[] {
    return this.#keys.range(from, end).map((key) => this.#objects.get(key) as SentObject);
  }
}
