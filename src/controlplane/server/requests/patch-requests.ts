/**
 * PATCH in its four forms.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply
 */
import { asJson, copyJson, sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { applyJsonPatch, applyMergePatch } from "../../../kube/patch.ts";
import { failure } from "../../../kube/status.ts";
import { strategicMerge } from "../../apply/strategic-merge.ts";
import { withoutManagedFields } from "../../apply/write.ts";
import type { ServedResource } from "../../kinds.ts";
import {
  type DecodedPatch,
  type PatchForm,
  acceptApplied,
  decodeConfiguration,
  decodePatch,
  openPatch,
} from "../../wire/decode-patch.ts";
import { checkPatched, tellMistakes } from "./body.ts";
import type { Cluster, WriteOptions } from "../cluster/cluster.ts";
import { matchName, matchNamespace } from "../write/match-path.ts";
import { conflict, notFound } from "../../failures.ts";
import { applyTo, trackChange } from "../write/field-ownership.ts";
import { permitCreate } from "./permission.ts";
import { writeOptions } from "./query.ts";
import { type Outcome, type ResourceRequest, headerOf } from "./request.ts";
import { answerCreate, answerUpdate, createMissing, endpointOf } from "./write-requests.ts";

const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";
const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
/** The media type of server-side apply. */
export const APPLY = "application/apply-patch+yaml";

/** The form of a patch of that media type. */
export function patchForm(type: string): PatchForm {
  if (type === JSON_PATCH) return "json";
  return type === STRATEGIC_PATCH ? "strategic" : "merge";
}

/** The form of a patch. @throws StatusError 415 */
export function patchType(asked: ResourceRequest): string {
  const type = (headerOf(asked.request, "content-type").split(";")[0] ?? "").trim();
  const { builtIn } = asked.resource;
  const known = [JSON_PATCH, MERGE_PATCH, ...(builtIn ? [STRATEGIC_PATCH] : []), APPLY];
  if (known.includes(type)) return type;
  if (builtIn) throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  throw failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${known.join(", ")}`,
  );
}

/** PATCH of an object or of its status. */
export async function patchRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const type = patchType(asked);
  if (type === APPLY) return applyRequest(cluster, asked);
  const { request, resource } = asked;
  const options = writeOptions(asked, "patch");
  const body = openPatch(await request.body());
  const endpoint = endpointOf(asked);
  const change = (live: SentObject): SentObject => {
    const patch = decodePatch(body, patchForm(type));
    const object = checkPatched(asked, patched(type, live, patch, resource), live, patch, options);
    endpoint.strategy.setDefaults(object);
    trackChange({ cluster, endpoint, options }, live, object);
    matchPath(asked, object);
    return object;
  };
  return answerUpdate(cluster, asked, endpoint, change, { ...options, replaces: false });
}

/** @throws StatusError 400 when a patch changed the object's name or namespace */
function matchPath({ resource, namespace, name }: ResourceRequest, object: SentObject): void {
  matchNamespace(resource, namespace, object);
  matchName(object, name);
}

/**
 * The patched object; the original stays as it is. The result of a custom kind may share frozen
 * parts with it: defaults and pruning do not change them, since they were applied to them before.
 *
 * @throws StatusError
 */
export function patched(
  type: string,
  live: SentObject,
  { patch }: DecodedPatch,
  resource: Pick<ServedResource, "schema" | "builtIn" | "versionSchemas">,
): unknown {
  const object = asJson(live);
  if (type === STRATEGIC_PATCH) return strategicMerge(object, patch, resource.schema);
  // An object that was converted from another version has no defaults yet.
  const isWhole = !hasVersions(resource);
  if (type === JSON_PATCH) return applyJsonPatch(isWhole ? object : copyJson(object), patch);
  return applyMergePatch(isWhole && !resource.builtIn ? object : copyJson(object), patch);
}

/** Whether an object of a custom kind may have been stored in another version. */
const hasVersions = ({ versionSchemas }: Pick<ServedResource, "versionSchemas">): boolean =>
  (versionSchemas?.size ?? 1) > 1;

/** Server-side apply, which may also create. */
async function applyRequest(cluster: Cluster, asked: ResourceRequest): Promise<Outcome> {
  const { name, request, resource } = asked;
  const options = writeOptions(asked, "apply");
  const decoded = decodeConfiguration(await request.body(), options.fieldValidation);
  const endpoint = endpointOf(asked);
  const applied = (live?: SentObject): SentObject => {
    const object = applyTo({ cluster, endpoint, options }, live, decoded.config, options.force);
    const accepted = acceptApplied(object, resource, resource.builtIn);
    tellMistakes(asked, decoded);
    return accepted;
  };
  const created = await createMissing(cluster, asked, async () => {
    if (!endpoint.strategy.allowCreateOnApply) throw notFound(resource, name);
    return createByApply(cluster, asked, applied, options);
  });
  if (created) return created;
  const change = (live: SentObject): SentObject => {
    const object = applied(live);
    if (!isUnchanged(resource, live, object)) {
      endpoint.strategy.setDefaults(object, { keepNulls: true });
    }
    matchPath(asked, object);
    return object;
  };
  const how = { ...options, replaces: false, keepsNulls: true };
  return answerUpdate(cluster, asked, endpoint, change, how);
}

/** Whether an apply changed only owners: a converted object then gets no defaults. */
const isUnchanged = (resource: ServedResource, live: SentObject, object: SentObject): boolean =>
  hasVersions(resource) &&
  sameJson(withoutManagedFields(asJson(live)), withoutManagedFields(asJson(object)));

async function createByApply(
  cluster: Cluster,
  asked: ResourceRequest,
  applied: () => SentObject,
  options: WriteOptions,
): Promise<Outcome> {
  const { name, resource } = asked;
  permitCreate(cluster, asked);
  const object = applied();
  const { uid = "" } = object.metadata;
  if (uid !== "") {
    throw conflict(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  matchPath(asked, object);
  delete object.metadata.resourceVersion;
  return answerCreate(cluster, asked, object, { ...options, ownedAlready: true });
}
