/**
 * The documents of discovery, plain and aggregated.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
 */
import type { JsonObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { DiscoveredResource, ServedGroup, ServedVersion } from "./versions.ts";
import { present } from "../../present.ts";

/** `/api`: the versions of the core group. */
export function coreVersions(
  core: ServedGroup<DiscoveredResource>,
  serverAddress: string,
): JsonObject {
  return {
    kind: "APIVersions",
    versions: core.versions.map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis`: every group except the core group. */
export function groupList(groups: readonly ServedGroup<DiscoveredResource>[]): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter(({ name }) => name !== "").map(groupEntry),
  };
}

/** `/apis/GROUP`. */
export function groupDocument(group: ServedGroup<DiscoveredResource>): JsonObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup<DiscoveredResource>): JsonObject {
  const entries = versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: name, version }),
    version,
  }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export function resourceList(
  group: ServedGroup<DiscoveredResource>,
  { version, resources }: ServedVersion<DiscoveredResource>,
): JsonObject {
  return {
    kind: "APIResourceList",
    // The list of the core group has no apiVersion.
    ...(group.name === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group: group.name, version }),
    resources: resources.flatMap((resource) => [
      resourceEntry(resource),
      ...resource.subresources.map((subresource) => subresourceEntry(resource, subresource)),
    ]),
  };
}

/** The short names and categories of a resource, where it has some. */
const otherNamesOf = ({ shortNames, categories }: DiscoveredResource): JsonObject => ({
  ...(shortNames.length > 0 ? { shortNames } : {}),
  ...(categories.length > 0 ? { categories } : {}),
});

function resourceEntry(resource: DiscoveredResource): JsonObject {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.shownVerbs ?? resource.verbs,
    ...otherNamesOf(resource),
    ...present({ storageVersionHash: resource.storageVersionHash }),
  };
}

function subresourceEntry(
  resource: DiscoveredResource,
  subresource: DiscoveredResource["subresources"][number],
): JsonObject {
  const { name, group, version, kind, verbs } = subresource;
  return {
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(isForeign(resource, subresource) ? { group, version } : {}),
    kind,
    verbs,
  };
}

/** Whether the subresource takes or answers a kind of another group or version. */
const isForeign = (
  resource: DiscoveredResource,
  { group, version }: DiscoveredResource["subresources"][number],
): boolean => group !== resource.group || version !== resource.version;

/** `/api` and `/apis` in the aggregated form: groups with all their versions and resources. */
export function aggregated(groups: readonly ServedGroup<DiscoveredResource>[]): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedResource(resource: DiscoveredResource): JsonObject {
  const { builtIn, group, version, subresources } = resource;
  // Built-in kinds leave out the group and version of the list.
  const own = builtIn ? { group: "", version: "" } : { group, version };
  const subresourceOf = (subresource: DiscoveredResource["subresources"][number]): JsonObject => {
    const { group: itsGroup, version: itsVersion, kind } = subresource;
    const foreign = { group: itsGroup, version: itsVersion };
    return {
      subresource: subresource.name,
      responseKind: { ...(isForeign(resource, subresource) ? foreign : own), kind },
      verbs: subresource.verbs,
    };
  };
  return {
    resource: resource.plural,
    responseKind: { ...own, kind: resource.kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.shownVerbs ?? resource.verbs,
    ...otherNamesOf(resource),
    ...(subresources.length > 0 ? { subresources: subresources.map(subresourceOf) } : {}),
  };
}
