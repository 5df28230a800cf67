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
  const object = (await readJson(asked)) as KubeObject;
  const travels = asked.subresource ?? asked.resource;
  const isParent = travels.kind === asked.resource.kind;
  const unknown = (isParent ? asked.resource.dropUnknown?.(object) : undefined) ?? [];
  if (query.fieldValidation === "Warn") {
    asked.warnings.push(...unknown.map((path) => `unknown field ${JSON.stringify(path)}`));
  }
  return {
    ...object,
    kind: travels.kind,
    apiVersion: apiVersionOf(travels),
    metadata: (object.metadata as KubeObject["metadata"] | undefined) ?? {},
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
  const options = bytes.length > 0 ? optionsOfBody(bytes) : optionsOfQuery(asked);
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

/** `DeleteOptions` as they come in a body. */
export interface DeletionBody {
  readonly gracePeriodSeconds?: number | null;
  readonly propagationPolicy?: NonNullable<DeletionOptions["propagationPolicy"]> | null;
  readonly orphanDependents?: boolean | null;
  readonly preconditions?: {
    readonly uid?: string | null;
    readonly resourceVersion?: string | null;
  } | null;
  readonly dryRun?: string[] | null;
}

/** What `DeleteOptions` demand; null is absent. */
export function deletionOf(body: DeletionBody): WithDryRun {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = body;
  const { uid, resourceVersion } = preconditions ?? {};
  return {
    ...(gracePeriodSeconds == null ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy == null ? {} : { propagationPolicy }),
    ...(orphanDependents == null ? {} : { orphanDependents }),
    ...(uid == null ? {} : { uid }),
    ...(resourceVersion == null ? {} : { resourceVersion }),
    dryRun: dryRun ?? [],
  };
}

function optionsOfBody(bytes: Uint8Array): WithDryRun {
  const body: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
  if (!isJsonObject(body)) throw badRequest("expected DeleteOptions");
  return deletionOf(body);
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
