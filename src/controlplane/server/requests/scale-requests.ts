/**
 * Requests to `/scale`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/scale-v1/
 */
import { copyJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import { findBuiltInSchema } from "../../builtin/definitions.ts";
import { normaliseShape } from "../../builtin/strategies/go-shape.ts";
import { checkPatched, readConfiguration, readObject, readPatch, tellMistakes } from "./body.ts";
import type { Cluster, WriteOptions } from "../cluster/cluster.ts";
import { matchName } from "../write/match-path.ts";
import { applyToScale, trackScale } from "../write/ownership.ts";
import { APPLY, patchForm, patchType, patched } from "./patch-requests.ts";
import { parseWriteQuery } from "./query.ts";
import { readOne } from "./read-requests.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { SCALE, type Scale, accessOf, changeScale, readScale, scaleOf } from "../write/scale.ts";
import { writeOptions } from "./write-requests.ts";

/**
 * A Scale as the server prints it, whatever was omitted: 0 replicas are left out. Changes the
 * object.
 */
function inShape(object: SentObject): Scale {
  normaliseShape(object);
  return object as Scale;
}

/** GET of `/scale`. */
export async function getScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  return { code: 200, object: readScale(asked, await readOne(cluster, asked)) };
}

/** PUT of `/scale`. */
export async function putScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const query = parseWriteQuery(asked.request.query, "update");
  const scale = inShape(await readObject(asked, query));
  matchName(scale, asked.name);
  const options = writeOptions(asked, query);
  return writeScale(cluster, asked, options, true, (live) => {
    trackScale(cluster, live, scale, options.manager);
    return scale;
  });
}

/** PATCH of `/scale`. */
export async function patchScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const type = patchType(asked);
  if (type === APPLY) return applyScale(cluster, asked);
  const query = parseWriteQuery(asked.request.query, "patch");
  const sent = await readPatch(asked, patchForm(type));
  const options = writeOptions(asked, query);
  return writeScale(cluster, asked, options, false, (live) => {
    // Another write may come first; then this one is retried.
    const patch = copyJson(sent);
    const result = patched(type, live, patch, {
      schema: findBuiltInSchema(SCALE) ?? {},
      builtIn: true,
    });
    const scale = inShape(checkPatched(asked, result, live, patch, query));
    trackScale(cluster, live, scale, options.manager);
    return scale;
  });
}

async function writeScale(
  cluster: Cluster,
  asked: ResourceRequest,
  options: WriteOptions,
  replaces: boolean,
  change: (live: Scale) => Scale,
): Promise<Outcome> {
  const updated = await changeScale(cluster, asked, options, replaces, change);
  return { code: 200, object: scaleOf(updated, accessOf(asked)) };
}

async function applyScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const query = parseWriteQuery(asked.request.query, "apply");
  const decoded = await readConfiguration(asked, query);
  const { config } = decoded;
  const by = { manager: query.fieldManager, force: query.force };
  return writeScale(cluster, asked, writeOptions(asked, query), false, (live) => {
    const { builtIn } = asked.resource;
    if (!builtIn && !live.metadata.managedFields?.length) {
      throw notConvertible("create manager for existing fields: failed to convert live object", {});
    }
    const scale = applyToScale(cluster, live, config, by) as Scale;
    if (!builtIn && scale.spec?.replicas !== live.spec?.replicas) {
      throw notConvertible("convert new object", config["metadata"] as ObjectMeta);
    }
    tellMistakes(asked, decoded);
    return scale;
  });
}

/**
 * The error of a real server that cannot apply to the `Scale` of a custom resource, in its words.
 */
function notConvertible(what: string, { namespace = "", name = "" }: ObjectMeta): StatusError {
  return failure(
    500,
    "",
    `failed to ${what} (${namespace}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}
