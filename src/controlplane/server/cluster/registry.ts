/** The registry of served resources: built-in ones, and those of CustomResourceDefinitions. */
import { collectionOf } from "../../resource-name.ts";
import type { ServedResource } from "../../kinds.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Finds resources by the parts of a path. */
export class Registry {
  readonly #builtIn: readonly ServedResource[];
  readonly #custom = new Map<string, readonly ServedResource[]>();
  readonly #announced = new Map<string, readonly GroupVersion[]>();
  #all: readonly ServedResource[];
  readonly #byPath = new Map<string, ServedResource>();
  readonly #preferred = new Map<string, ServedResource>();
  readonly #groups = new Map<string, "built-in" | "custom">();
  readonly #collections = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();

  constructor(builtIn: readonly ServedResource[]) {
    this.#builtIn = builtIn;
    this.#all = builtIn;
    this.#index();
  }

  /** Every served resource, one for each version; built-in ones first. */
  all(): readonly ServedResource[] {
    return this.#all;
  }

  /** The resource at `/apis/group/version/plural`. */
  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The resource in its preferred version: the first one that is served. */
  preferred(group: string, plural: string): ServedResource | undefined {
    return this.#preferred.get(`${group}/${plural}`);
  }

  /** The preferred version of the resource in a collection of the store. */
  ofCollection(collection: string): ServedResource | undefined {
    return this.#collections.get(collection);
  }

  /** Whether a group is built-in or custom; `undefined` when it is not served. */
  groupOwner(group: string): "built-in" | "custom" | undefined {
    return this.#groups.get(group);
  }

  /** The group versions that definitions announce, whether they are served or not. */
  announced(): readonly GroupVersion[] {
    return [...this.#announced.values()].flat();
  }

  /**
   * Replaces the resources of the CustomResourceDefinition of that name; none when it is gone.
   *
   * @param announced - the versions that it would serve, also while its names are taken
   */
  setCustom(
    definition: string,
    resources: readonly ServedResource[],
    announced: readonly GroupVersion[] = resources,
  ): void {
    if (announced.length === 0) this.#announced.delete(definition);
    else this.#announced.set(definition, announced);
    if (resources.length === 0) this.#custom.delete(definition);
    else this.#custom.set(definition, resources);
    this.#all = [...this.#builtIn, ...[...this.#custom.values()].flat()];
    this.#index();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` after each change of the served resources. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #index(): void {
    for (const index of [this.#byPath, this.#preferred, this.#groups, this.#collections]) {
      index.clear();
    }
    // Of several versions, the first one counts.
    for (const resource of this.#all.toReversed()) {
      const { group, version, plural, builtIn } = resource;
      this.#byPath.set(`${group}/${version}/${plural}`, resource);
      this.#preferred.set(`${group}/${plural}`, resource);
      this.#collections.set(collectionOf(resource), resource);
      this.#groups.set(group, builtIn ? "built-in" : "custom");
    }
  }
}
