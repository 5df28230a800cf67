/**
 * The kinds that the page watches: those that the operator's roles name, the project's own, and
 * those that workloads make.
 */
import type { ResourceInfo } from "../../kube/resource.ts";
import type { Client } from "../../runtime/client/client.ts";
import type { GrantedRight } from "./rights-table.ts";

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** The objects that Deployments, StatefulSets and CronJobs make of themselves. */
const OF_WORKLOADS: readonly Pick<GrantedRight, "group" | "resource">[] = [
  { group: "apps", resource: "replicasets" },
  { group: "batch", resource: "jobs" },
  { group: "", resource: "pods" },
];

/** Resources that are written all the time, and that no watched object owns. */
const NOT_WATCHED: ReadonlySet<string> = new Set(["events", "leases"]);

/** Resources of which the metadata is enough. */
const METADATA_ONLY: ReadonlySet<string> = new Set(["secrets", "configmaps"]);

interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
}

/** The kinds, as the API server serves them. @throws StatusError, ConnectionError as requests do */
export async function watchedKinds(
  client: Pick<Client, "raw">,
  roots: readonly GroupKind[],
  granted: readonly Pick<GrantedRight, "group" | "resource">[],
): Promise<ResourceInfo[]> {
  const named = [...granted, ...OF_WORKLOADS];
  const versions = await preferredVersions(client);
  const isWanted = (group: string): boolean =>
    roots.some((root) => root.group === group) ||
    named.some((one) => one.group === "*" || one.group === group);
  const lists = await Promise.all(
    [...versions]
      .filter(([group]) => isWanted(group))
      .map(async ([group, version]) => {
        const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
        const { resources = [] } = (await answerOf(client, path)) as {
          resources?: ServedResource[];
        };
        return resources
          .filter(({ name, verbs = [] }) => isWatchable(name, verbs))
          .filter(
            ({ name, kind }) =>
              roots.some((root) => root.group === group && root.kind === kind) ||
              named.some((one) => isNamed(one, group, name)),
          )
          .map(({ name, kind, namespaced }) =>
            infoOf({ group, version, kind, plural: name, namespaced }),
          );
      }),
  );
  return lists.flat();
}

function isWatchable(name: string, verbs: readonly string[]): boolean {
  return (
    !name.includes("/") &&
    !NOT_WATCHED.has(name) &&
    verbs.includes("list") &&
    verbs.includes("watch")
  );
}

function isNamed(
  right: Pick<GrantedRight, "group" | "resource">,
  group: string,
  plural: string,
): boolean {
  const isGroup = right.group === "*" || right.group === group;
  return isGroup && (right.resource === "*" || right.resource === plural);
}

function infoOf(info: ResourceInfo): ResourceInfo {
  const hasLittle = info.group === "" && METADATA_ONLY.has(info.plural);
  return hasLittle ? { ...info, metadataOnly: true } : info;
}

/** The version of each group, the core group under the empty name. */
async function preferredVersions(client: Pick<Client, "raw">): Promise<Map<string, string>> {
  const { groups = [] } = (await answerOf(client, "/apis")) as {
    groups?: { name: string; preferredVersion?: { version: string } }[];
  };
  const versions = new Map([["", "v1"]]);
  for (const { name, preferredVersion } of groups) {
    if (preferredVersion) versions.set(name, preferredVersion.version);
  }
  return versions;
}

async function answerOf(client: Pick<Client, "raw">, path: string): Promise<unknown> {
  return (await client.raw({ path })).json();
}
