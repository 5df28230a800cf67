/** The owners of fields after a write: the bridge from the write path to field tracking. */
import { InternalError } from "../../../errors.ts";
import { asJson, asObject, copyJson } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import { StatusError } from "../../../kube/status.ts";
import { applyConfiguration } from "../../apply/apply-configuration.ts";
import { trackUpdate } from "../../apply/track-update.ts";
import { type OwnedResource, Untrackable, type WriteBy } from "../../apply/write.ts";
import { findBuiltInSchema } from "../../builtin/definitions.ts";
import { convertVersion } from "../../builtin/kind-versions.ts";
import { withEmptied } from "../../builtin/go/emptied.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Cluster, Endpoint, Write } from "../cluster/cluster.ts";
import { collectionOf } from "../../resource-name.ts";

/** The parts of a write that the owners of fields depend on. */
type TrackedWrite = Pick<Write, "cluster" | "endpoint" | "options">;

/** Brings the managedFields of `object` up to date for a write that is not an apply. */
export function trackChange(
  { cluster, endpoint, options }: TrackedWrite,
  live: SentObject | undefined,
  object: SentObject,
): void {
  const sent = endpoint.kind ? object : withEmptied(object);
  trackUpdate(live, sent, ownedResource(endpoint), writeBy(cluster, endpoint, options.manager));
  if (sent === object) return;
  const { managedFields } = sent.metadata;
  if (managedFields) object.metadata.managedFields = managedFields;
  else delete object.metadata.managedFields;
}

/** The resource of an endpoint, or its own built-in kind, which is not served. */
function ownedResource({ kind: own, resource }: Endpoint): OwnedResource {
  if (!own) return resource;
  const { group, version, kind } = own;
  const schema = findBuiltInSchema(own);
  if (!schema) throw new InternalError(`There is no schema of ${kind}.`);
  return { group, version, kind, plural: "", builtIn: true, schema, subresources: [] };
}

/**
 * The live object (absent for a new one) with a configuration applied, and its owners. Defaults are
 * not set.
 *
 * @throws StatusError 409 for conflicts
 */
export function applyTo(
  { cluster, endpoint, options }: TrackedWrite,
  live: SentObject | undefined,
  config: JsonObject,
  force: boolean,
): SentObject {
  const by = writeBy(cluster, endpoint, options.manager);
  return applyConfiguration(live, config, ownedResource(endpoint), { ...by, force });
}

function writeBy(cluster: Cluster, endpoint: Endpoint, manager: string): WriteBy {
  const { subresource, kind } = endpoint;
  return {
    manager,
    ...(subresource === "" ? {} : { subresource }),
    nowMs: cluster.clock.now(),
    ...(kind ? {} : { versions: versionsOf(cluster, endpoint.resource) }),
  };
}

function versionsOf(
  { registry, conversion }: Cluster,
  resource: ServedResource,
): NonNullable<WriteBy["versions"]> {
  const { plural, builtIn, conversion: webhook, versionSchemas } = resource;
  const versionOf = (apiVersion: string): ServedResource | undefined => {
    const { group, version } = parseApiVersion(apiVersion);
    const found = registry.find(group, version, plural);
    return found && collectionOf(found) === collectionOf(resource) ? found : undefined;
  };
  return {
    schemaOf: (apiVersion) => versionSchemas?.get(apiVersion) ?? versionOf(apiVersion)?.schema,
    convert(object, apiVersion) {
      if (builtIn) return convertVersion(object, apiVersion);
      // Fields that the other version does not know are not dropped here, and then do not fit its
      // schema.
      if (!webhook) return { ...copyJson(object), apiVersion };
      try {
        return asJson(conversion.converted(webhook, asObject(object), apiVersion));
      } catch (error) {
        if (error instanceof StatusError) throw new Untrackable(error.message);
        throw error;
      }
    },
  };
}
