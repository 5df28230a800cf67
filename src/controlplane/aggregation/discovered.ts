/** The resources of extension API servers in the documents of discovery. */
import type { JsonObject } from "../../kube/object.ts";
import { listAt, textAt } from "../builtin/at.ts";
import type { DiscoveredResource } from "../discovery/versions.ts";

/** The resources in the entries of an APIResourceList. */
export function discoveredResources(
  group: string,
  version: string,
  entries: readonly JsonObject[],
): DiscoveredResource[] {
  const texts = (entry: JsonObject, field: string): string[] => listAt(entry, field).map(String);
  const subresourcesOf = (plural: string): DiscoveredResource["subresources"] =>
    entries
      .filter((entry) => textAt(entry, "name").startsWith(`${plural}/`))
      .map((entry) => ({
        name: textAt(entry, "name").slice(plural.length + 1),
        group: textAt(entry, "group"),
        version: textAt(entry, "version"),
        kind: textAt(entry, "kind"),
        verbs: texts(entry, "verbs"),
      }));
  return entries
    .filter((entry) => !textAt(entry, "name").includes("/"))
    .map((entry) => ({
      group,
      version,
      plural: textAt(entry, "name"),
      singular: textAt(entry, "singularName"),
      kind: textAt(entry, "kind"),
      namespaced: entry["namespaced"] === true,
      verbs: texts(entry, "verbs"),
      shortNames: texts(entry, "shortNames"),
      categories: texts(entry, "categories"),
      builtIn: false,
      subresources: subresourcesOf(textAt(entry, "name")),
    }));
}
