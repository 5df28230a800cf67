/**
 * Bodies of requests, decoded for the resource that they are meant for.
 *
 * @module
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import type { DeletionOptions } from "./delete.ts";
import { badRequest } from "./failures.ts";
import {
  type WriteQuery,
  booleanOption,
  deletionErrors,
  integerOption,
  invalidOptions,
} from "./query.ts";
import type { ResourceRequest } from "./request.ts";

async function readJson({ request }: ResourceRequest): Promise<unknown> {
  const text = Buffer.from(await request.body()).toString("utf8");
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw badRequest(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** The object in the body of a POST or PUT. @throws StatusError 400 or 415 */
export async function readObject(asked: ResourceRequest, query: WriteQuery): Promise<KubeObject> {
  void query;
  const object = (await readJson(asked)) as KubeObject;
  return {
    ...object,
    kind: asked.resource.kind,
    apiVersion: apiVersionOf(asked.resource),
    metadata: object.metadata,
  };
}

/** The patch in the body of a PATCH. @throws StatusError 400 */
export async function readPatch(asked: ResourceRequest): Promise<unknown> {
  return readJson(asked);
}

/** The configuration in the body of an apply. @throws StatusError 400 */
export async function readConfiguration(
  asked: ResourceRequest,
  query: WriteQuery,
): Promise<JsonObject> {
  void query;
  return (await readJson(asked)) as JsonObject;
}

/** What a DELETE demands, in its body or, without one, in its query. @throws StatusError 400 or 422 */
export async function readDeletion(
  asked: ResourceRequest,
): Promise<{ readonly deletion: DeletionOptions; readonly dryRun: boolean }> {
  const bytes = await asked.request.body();
  const options = bytes.length > 0 ? await optionsOfBody(bytes) : optionsOfQuery(asked);
  const errors = deletionErrors(
    options.propagationPolicy,
    options.orphanDependents,
    options.dryRun,
  );
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  const { dryRun, ...deletion } = options;
  return { deletion, dryRun: dryRun.length > 0 };
}

type WithDryRun = DeletionOptions & { readonly dryRun: readonly string[] };

async function optionsOfBody(bytes: Uint8Array): Promise<WithDryRun> {
  const body: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (!isJsonObject(body)) throw badRequest("expected DeleteOptions");
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } =
    body as {
      gracePeriodSeconds?: number | null;
      propagationPolicy?: NonNullable<DeletionOptions["propagationPolicy"]> | null;
      orphanDependents?: boolean | null;
      preconditions?: { uid?: string | null; resourceVersion?: string | null } | null;
      dryRun?: string[] | null;
    };
  return {
    ...(gracePeriodSeconds == null ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy == null ? {} : { propagationPolicy }),
    ...(orphanDependents == null ? {} : { orphanDependents }),
    ...(preconditions?.uid == null ? {} : { uid: preconditions.uid }),
    ...(preconditions?.resourceVersion == null
      ? {}
      : { resourceVersion: preconditions.resourceVersion }),
    dryRun: dryRun ?? [],
  };
}

function optionsOfQuery({ request: { query } }: ResourceRequest): WithDryRun {
  const grace = integerOption(query, "gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const [uid, resourceVersion] = [query.get("uid"), query.get("resourceVersion")];
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(policy === null
      ? {}
      : { propagationPolicy: policy as NonNullable<DeletionOptions["propagationPolicy"]> }),
    ...(query.has("orphanDependents")
      ? { orphanDependents: booleanOption(query, "orphanDependents") }
      : {}),
    ...(uid === null ? {} : { uid }),
    ...(resourceVersion === null ? {} : { resourceVersion }),
    dryRun: query.getAll("dryRun"),
  };
}
