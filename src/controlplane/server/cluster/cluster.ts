/** The cluster that every operation of the API works on, and its endpoint and options. */
import { timeOf } from "../../../kube/values/times.ts";
import { copyJson } from "../../../kube/json.ts";
import type { Clock } from "../../../clock.ts";
import type { JsonObject, ObjectKey, SentObject } from "../../../kube/object.ts";
import type { Logger } from "../../../log.ts";
import type { Admission } from "../../admission/admission.ts";
import type { Aggregator } from "../../aggregation/aggregator.ts";
import type { AdmissionPlugins } from "../../admission-plugins.ts";
import type { AdmittedKind } from "../../admission/attributes.ts";
import { trackUpdate } from "../../apply/track-update.ts";
import { authorize } from "../../auth/authorizer.ts";
import type { TokenAuthority } from "../../auth/tokens.ts";
import type { ServedResource, Strategy, User, WriteContext } from "../../kinds.ts";
import { type ResourceName, collectionOf } from "../../resource-name.ts";
import { type Store, storeKey } from "../../store/store.ts";
import type { BookmarkTicks } from "./bookmark-ticks.ts";
import type { Conversion } from "./conversion.ts";
import { type Registry } from "./registry.ts";
import { readNow, storeAs } from "./versions.ts";

/** The parts of a running control plane that operations use. */
export interface Cluster {
  readonly store: Store;
  readonly registry: Registry;
  readonly tokens: TokenAuthority;
  readonly admission: Admission;
  readonly plugins: AdmissionPlugins;
  readonly conversion: Conversion;
  readonly aggregator: Aggregator;
  readonly bookmarkTicks: BookmarkTicks;
  readonly clock: Clock;
  readonly log: Logger;
  readonly startedAtMs: number;
  /** Whether the simulated controllers run. */
  readonly runsControllers: boolean;
}

/** A resource, or the subresource of it that writes the same object (`status`). */
export interface Endpoint {
  readonly resource: ServedResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly strategy: Strategy;
  /** The kind of the sent and returned object, where it is not the resource's. */
  readonly kind?: AdmittedKind;
}

export interface WriteOptions {
  readonly user: User;
  readonly manager: string;
  readonly dryRun: boolean;
  /** The other options as they were sent, for admission. */
  readonly asked?: JsonObject;
  /** Whether the write is one of many in the deletion of a collection. */
  readonly collection?: boolean;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
}

/** A write of one object: its place, and its options. */
export interface Write<O extends WriteOptions = WriteOptions> {
  readonly cluster: Cluster;
  readonly endpoint: Endpoint;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty for a new object whose name is to be generated. */
  readonly name: string;
  readonly options: O;
}

/** The endpoint of a resource itself. */
export function mainEndpoint(resource: ServedResource): Endpoint {
  return { resource, subresource: "", strategy: resource.strategy };
}

/** The endpoint of a subresource; `undefined` when the resource has none that writes its objects. */
export function subresourceEndpoint(resource: ServedResource, name: string): Endpoint | undefined {
  const strategy = resource.subresources.find((one) => one.name === name)?.strategy;
  return strategy && { resource, subresource: name, strategy };
}

export function storedAt(
  { store }: Pick<Cluster, "store">,
  resource: ResourceName,
  namespace: string | undefined,
  name: string,
): SentObject | undefined {
  return store.get(collectionOf(resource), storeKey(namespace, name));
}

/**
 * The context of the checks of a write. A refused write has no warnings but those of a custom
 * resource's rules: the others are kept until `tellWarnings`.
 */
export function checkContext({ cluster, endpoint, options }: Omit<Write, "name">): {
  readonly context: WriteContext;
  readonly tellWarnings: () => void;
} {
  const warnings: string[] = [];
  const { builtIn } = endpoint.resource;
  const warn = builtIn ? (text: string): void => void warnings.push(text) : options.warn;
  return {
    context: writeContext(cluster, { ...options, warn }),
    tellWarnings: () => {
      for (const warning of warnings) options.warn(warning);
    },
  };
}

/** An object as it is now, in the preferred version of its resource. */
export function findStored<T extends SentObject>(
  cluster: Cluster,
  { group, plural }: ResourceName<T>,
  { namespace, name }: ObjectKey,
): T | undefined {
  const resource = cluster.registry.preferred(group, plural);
  const object = resource && cluster.store.get(collectionOf(resource), storeKey(namespace, name));
  // The type of the resource's name is the type of its objects.
  return object && (readNow(cluster, resource, object) as T);
}

/** All objects of a resource as they are now, in its preferred version. */
export function listStored<T extends SentObject>(
  cluster: Cluster,
  { group, plural }: ResourceName<T>,
  namespace?: string,
): readonly T[] {
  const resource = cluster.registry.preferred(group, plural);
  if (!resource) return [];
  return cluster.store
    .list(collectionOf(resource), namespace)
    .map((object) => readNow(cluster, resource, object) as T);
}

export function writeContext(cluster: Cluster, options: WriteOptions): WriteContext {
  const { store, registry, clock } = cluster;
  return {
    user: options.user,
    dryRun: options.dryRun,
    clock,
    plugins: cluster.plugins,
    find: (resource, key) => findStored(cluster, resource, key),
    list: (resource, namespace) => listStored(cluster, resource, namespace),
    pluralOf: (group, version, kind) =>
      registry
        .all()
        .find((one) => one.group === group && one.version === version && one.kind === kind)?.plural,
    may: (attributes) => authorize(store, options.user, attributes).allowed,
    putStatus(group, plural, object) {
      const resource = registry.preferred(group, plural);
      if (!resource || options.dryRun) return;
      const { namespace = "", name = "" } = object.metadata;
      const live = store.get(collectionOf(resource), storeKey(namespace, name));
      const changed = copyJson(object);
      const by = { manager: "kube-apiserver", subresource: "status", nowMs: clock.now() };
      trackUpdate(live && readNow(cluster, resource, live), changed, resource, by);
      store.put(collectionOf(resource), storeAs(resource, changed));
    },
    warn: options.warn,
  };
}

/** Now, as metadata writes it: RFC 3339 in UTC, to the second. */
export function timestamp(clock: Clock, offsetMs = 0): string {
  return timeOf(clock.now() + offsetMs);
}

/** A random UUID from the clock's numbers, so that a seeded run names things the same. */
export function randomUid(clock: Clock): string {
  const eight = (): string =>
    Math.floor(clock.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  const [first, second, third, last] = [eight(), eight(), eight(), eight()];
  const variant = "89ab".charAt(parseInt(third.charAt(0), 16) & 3);
  return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-${variant}${third.slice(1, 4)}-${third.slice(4)}${last}`;
}
