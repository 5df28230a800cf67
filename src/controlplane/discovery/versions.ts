/** The priority order of API versions, and the groups and versions of the served resources. */
import type { ServedResource, ServedSubresource } from "../kinds.ts";
import { tableOf } from "../../table.ts";

const MATURITY = tableOf<number>({ "": 2, beta: 1, alpha: 0 });

/** `v1beta2` as `[maturity, major, minor]`; `undefined` where the pattern is another. */
function parts(version: string): readonly [number, number, number] | undefined {
  const [, major, maturity = "", minor = "0"] =
    /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [MATURITY.get(maturity) ?? 0, Number(major), Number(minor)];
}

/**
 * Sorts versions by priority: stable before beta before alpha, higher numbers first; other names
 * come after them, alphabetically.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export function compareVersions(one: string, other: string): number {
  const left = parts(one);
  const right = parts(other);
  if (left && right) return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
  if (left) return -1;
  if (right) return 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A resource as discovery shows it, of this server or an extension API server. */
export type DiscoveredResource = Pick<
  ServedResource,
  | "builtIn"
  | "categories"
  | "group"
  | "kind"
  | "namespaced"
  | "plural"
  | "shortNames"
  | "shownVerbs"
  | "singular"
  | "storageVersionHash"
  | "verbs"
  | "version"
> & {
  readonly subresources: readonly Pick<
    ServedSubresource,
    "group" | "kind" | "name" | "verbs" | "version"
  >[];
};

/** The resources of one version of a group. */
export interface ServedVersion<R extends DiscoveredResource = ServedResource> {
  readonly version: string;
  readonly resources: readonly R[];
}

/** A group with its versions, preferred first. */
export interface ServedGroup<R extends DiscoveredResource = ServedResource> {
  readonly name: string;
  readonly builtIn: boolean;
  readonly versions: readonly ServedVersion<R>[];
}

/**
 * Groups in the order of discovery: built-in groups in the order of the table, then custom groups
 * by name, their versions by priority and their resources by name.
 *
 * @param announced - versions of custom groups that are listed even without resources
 */
export function groupsOf<R extends DiscoveredResource>(
  resources: readonly R[],
  announced: readonly Pick<DiscoveredResource, "group" | "version">[] = [],
): readonly ServedGroup<R>[] {
  const groups = new Map<string, Map<string, R[]>>();
  const resourcesOf = ({ group, version }: (typeof announced)[number]): R[] => {
    const versions = groups.get(group) ?? new Map<string, R[]>();
    const found = versions.get(version) ?? [];
    groups.set(group, versions.set(version, found));
    return found;
  };
  for (const resource of resources) resourcesOf(resource).push(resource);
  for (const version of announced) resourcesOf(version);
  const builtIn = new Set(resources.filter((one) => one.builtIn).map(({ group }) => group));
  const byPlural = (one: R, other: R): number => (one.plural < other.plural ? -1 : 1);
  return [...groups]
    .map(([name, found]): ServedGroup<R> => {
      const versions = [...found].map(([version, served]) => ({ version, resources: served }));
      if (builtIn.has(name)) return { name, builtIn: true, versions };
      for (const { resources: served } of versions) served.sort(byPlural);
      versions.sort((one, other) => compareVersions(one.version, other.version));
      return { name, builtIn: false, versions };
    })
    .sort((one, other) => {
      if (one.builtIn || other.builtIn) return Number(other.builtIn) - Number(one.builtIn);
      return one.name < other.name ? -1 : 1;
    });
}
