/** The owners of fields after a write: the bridge from the write path to field tracking. */
import { InternalError } from "../../../errors.ts";
import { asJson, asObject, copyJson } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import { StatusError } from "../../../kube/status.ts";
import { applyConfiguration } from "../../apply/apply-configuration.ts";
import { trackUpdate } from "../../apply/track-update.ts";
import { type OwnedResource, Untrackable, type WriteBy } from "../../apply/write.ts";
import { type GroupVersionKind, findBuiltInSchema } from "../../builtin/definitions.ts";
import { convertVersion } from "../../builtin/kind-versions.ts";
import { withEmptied } from "../../builtin/strategies/emptied.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Cluster, Endpoint, Write, WriteOptions } from "../cluster/cluster.ts";
import { collectionOf } from "../../resource-name.ts";

/** The parts of a write that the owners of fields depend on. */
interface TrackedWrite extends Pick<Write, "cluster" | "endpoint"> {
  readonly options: Pick<WriteOptions, "manager">;
}

/** Brings the managedFields of `object` up to date for a write that is not an apply. */
export function trackChange(
  { cluster, endpoint, options }: TrackedWrite,
  live: SentObject | undefined,
  object: SentObject,
): void {
  const sent = withEmptied(object);
  trackUpdate(live, sent, endpoint.resource, writeBy(cluster, endpoint, options.manager));
  if (sent === object) return;
  const { managedFields } = sent.metadata;
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
}

/** Records the sender of a subresource's object that is not stored. */
export function trackSubresource(
  { clock }: Cluster,
  kind: GroupVersionKind,
  subresource: string,
  object: SentObject,
  manager: string,
): void {
  trackUpdate(undefined, object, unservedKind(kind), {
    manager,
    subresource,
    nowMs: clock.now(),
  });
}

const SCALE: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** Brings the managedFields of a `Scale` up to date for a write that is not an apply. */
export function trackScale(
  { clock }: Cluster,
  live: SentObject,
  scale: SentObject,
  manager: string,
): void {
  const by = { manager, subresource: "scale", nowMs: clock.now() };
  trackUpdate(live, scale, unservedKind(SCALE), by);
}

/** As `applyTo`, for a `Scale`. @throws StatusError 409 for conflicts */
export function applyToScale(
  { clock }: Cluster,
  live: SentObject,
  config: JsonObject,
  by: { readonly manager: string; readonly force: boolean },
): SentObject {
  const write = { ...by, subresource: "scale", nowMs: clock.now() };
  return applyConfiguration(live, config, unservedKind(SCALE), write);
}

/** A built-in kind of a subresource's object. */
function unservedKind(kind: GroupVersionKind): OwnedResource {
  const schema = findBuiltInSchema(kind);
  if (!schema) throw new InternalError(`There is no schema of ${kind.kind}.`);
  return { ...kind, plural: "", builtIn: true, schema, subresources: [] };
}

/**
 * The live object (absent for a new one) with a configuration applied, and its owners. Defaults are
 * not set.
 *
 * @throws StatusError 409 for conflicts
 */
export function applyTo(
  cluster: Cluster,
  endpoint: Endpoint,
  live: SentObject | undefined,
  config: JsonObject,
  by: { readonly manager: string; readonly force: boolean },
): SentObject {
  return applyConfiguration(live, config, endpoint.resource, {
    ...writeBy(cluster, endpoint, by.manager),
    force: by.force,
  });
}

function writeBy(
  { registry, clock, conversion }: Cluster,
  endpoint: Endpoint,
  manager: string,
): WriteBy {
  const { plural, builtIn, conversion: webhook, versionSchemas } = endpoint.resource;
  const versionOf = (apiVersion: string): ServedResource | undefined => {
    const { group, version } = parseApiVersion(apiVersion);
    const found = registry.find(group, version, plural);
    return found && collectionOf(found) === collectionOf(endpoint.resource) ? found : undefined;
  };
  return {
    manager,
    ...(endpoint.subresource === "" ? {} : { subresource: endpoint.subresource }),
    nowMs: clock.now(),
    versions: {
      schemaOf: (apiVersion) => versionSchemas?.get(apiVersion) ?? versionOf(apiVersion)?.schema,
      convert(object, apiVersion) {
        if (builtIn) return convertVersion(object, apiVersion);
        const custom = asObject(object);
        // Fields that the other version does not know are not dropped here, and then do not fit its
        // schema.
        if (!webhook) return { ...copyJson(object), apiVersion };
        try {
          return asJson(conversion.converted(webhook, custom, apiVersion));
        } catch (error) {
          if (error instanceof StatusError) throw new Untrackable(error.message);
          throw error;
        }
      },
    },
  };
}
