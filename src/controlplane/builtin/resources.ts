/**
 * The built-in resources as a server with default flags serves them.
 *
 * The table (`resources.data.json`, made by `scripts/make/kubernetes/resources-and-schemas.mjs`) lists
 * them; strategies, printers and selectable fields are added here. Schemas are resolved on first
 * use.
 */
import { readData } from "../data-file.ts";
import { InternalError } from "../../errors.ts";
import { parseApiVersion } from "../../kube/resource.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { ServedResource, ServedSubresource } from "../kinds.ts";
import { printerOf } from "./printer-of.ts";
import { findBuiltInSchema } from "./definitions.ts";
import { hubOf } from "./kind-versions.ts";
import { rulesOf } from "./kinds/kind-table.ts";
import { strategyFor, subresourceStrategyFor } from "./strategies/strategy-for.ts";
import { present } from "../../present.ts";

interface SubresourceRow {
  readonly name: string;
  readonly kind: string;
  /** Group and version are both present when the kind is of another group than the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

interface ResourceRow {
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources?: readonly SubresourceRow[];
}

interface GroupRow {
  readonly name: string;
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly ResourceRow[];
  }[];
}

/**
 * Every built-in resource, once for each version that is served, in the order of discovery: groups
 * by priority, and within them versions, preferred first.
 */
export function builtInResources(): readonly ServedResource[] {
  const groups = readData<GroupRow[]>(new URL("./resources.data.json", import.meta.url));
  return groups.flatMap(({ name: group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((row) => servedResource(group, version, row)),
    ),
  );
}

function servedResource(group: string, version: string, row: ResourceRow): ServedResource {
  const { plural, kind, singular, namespaced, verbs, storageVersionHash } = row;
  const traits = rulesOf(group, kind) ?? {};
  const { selectableFields, deprecationWarning } = traits;
  const hub = hubOf(kind);
  return {
    group,
    version,
    kind,
    plural,
    singular,
    namespaced,
    listKind: `${kind}List`,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    verbs,
    builtIn: true,
    storageVersion: hub === undefined ? version : parseApiVersion(hub).version,
    ...present({ storageVersionHash }),
    get schema(): Schema {
      const schema = findBuiltInSchema({ group, version, kind });
      if (!schema) throw new InternalError(`There is no schema of ${group}/${version} ${kind}.`);
      return schema;
    },
    strategy: strategyFor(group, kind),
    traits,
    subresources: (row.subresources ?? []).map((sub) =>
      servedSubresource(group, kind, version, sub),
    ),
    ...(verbs.includes("get") ? { table: printerOf(group, kind) } : {}),
    ...(selectableFields ? { selectableFields } : {}),
    ...present({ deprecationWarning }),
  };
}

function servedSubresource(
  group: string,
  kind: string,
  version: string,
  row: SubresourceRow,
): ServedSubresource {
  const strategy = subresourceStrategyFor(group, kind, row.name);
  return {
    name: row.name,
    verbs: row.verbs,
    group: row.group ?? group,
    version: row.version ?? version,
    kind: row.kind,
    ...(strategy ? { strategy } : {}),
  };
}
