/**
 * Requests to `/scale`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/scale-v1/
 */
import { copyJson } from "../../../kube/json.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { type StatusError, failure } from "../../../kube/status.ts";
import { findBuiltInSchema } from "../../builtin/definitions.ts";
import { normaliseShape } from "../../builtin/go/shape.ts";
import { decodeConfiguration, decodePatch, openPatch } from "../../wire/decode-patch.ts";
import { checkPatched, readObject, tellMistakes } from "./body.ts";
import type { Cluster, WriteOptions } from "../cluster/cluster.ts";
import { matchName } from "../write/match-path.ts";
import { applyTo, trackChange } from "../write/field-ownership.ts";
import { APPLY, patchForm, patchType, patched } from "./patch-requests.ts";
import { writeOptions } from "./query.ts";
import { readOne } from "./read-requests.ts";
import type { Outcome, ResourceRequest } from "./request.ts";
import { SCALE, type Scale, changeScale, readScale, scaleEndpoint } from "../write/scale.ts";
import { type Write } from "../cluster/cluster.ts";

/** The object as a Scale that the server prints: 0 replicas are left out. Changes it. */
function inShape(object: SentObject): Scale {
  normaliseShape(object);
  return object as Scale;
}

export async function getScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  return { code: 200, object: readScale(asked.resource, await readOne(cluster, asked)) };
}

export async function putScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const options = writeOptions(asked, "update");
  const scale = inShape(await readObject(asked, options));
  matchName(scale, asked.name);
  const write = scaleWrite(cluster, asked, options);
  const object = await changeScale(write, true, (live) => {
    trackChange(write, live, scale);
    return scale;
  });
  return { code: 200, object };
}

export async function patchScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const type = patchType(asked);
  if (type === APPLY) return applyScale(cluster, asked);
  const options = writeOptions(asked, "patch");
  const sent = decodePatch(openPatch(await asked.request.body()), patchForm(type));
  const write = scaleWrite(cluster, asked, options);
  const schema = findBuiltInSchema(SCALE) ?? {};
  const object = await changeScale(write, false, (live) => {
    // Another write may come first; then this one is retried.
    const patch = copyJson(sent);
    const result = patched(type, live, patch, { schema, builtIn: true });
    const scale = inShape(checkPatched(asked, result, live, patch, options));
    trackChange(write, live, scale);
    return scale;
  });
  return { code: 200, object };
}

async function applyScale(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const options = writeOptions(asked, "apply");
  const decoded = decodeConfiguration(await asked.request.body(), options.fieldValidation);
  const { config } = decoded;
  const write = scaleWrite(cluster, asked, options);
  const object = await changeScale(write, false, (live) => {
    const { builtIn } = asked.resource;
    if (!builtIn && !live.metadata.managedFields?.length) {
      throw notConvertible("create manager for existing fields: failed to convert live object", {});
    }
    const scale = applyTo(write, live, config, options.force) as Scale;
    if (!builtIn && scale.spec?.replicas !== live.spec?.replicas) {
      throw notConvertible("convert new object", config["metadata"] as ObjectMeta);
    }
    tellMistakes(asked, decoded);
    return scale;
  });
  return { code: 200, object };
}

function scaleWrite(cluster: Cluster, asked: ResourceRequest, options: WriteOptions): Write {
  return { ...asked, cluster, endpoint: scaleEndpoint(asked.resource), options };
}

/** The error of a real server, which cannot apply to the `Scale` of a custom resource. */
function notConvertible(what: string, { namespace = "", name = "" }: ObjectMeta): StatusError {
  return failure(
    500,
    "",
    `failed to ${what} (${namespace}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
  );
}
