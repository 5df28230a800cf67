/** Bodies of requests, decoded for their resource. */
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { type ExpectedKind, decodeBody } from "../../wire/decode-body.ts";
import {
  type DecodedConfiguration,
  type DecodedPatch,
  type PatchForm,
  acceptApplied,
  acceptPatched,
  decodeConfiguration,
  decodeDeleteOptions,
  decodePatch,
} from "../../wire/decode-patch.ts";
import { bodyForm } from "../../wire/media-type.ts";
import type { DeletionOptions } from "../write/delete.ts";
import { tidyMetadata } from "../write/object-limits.ts";
import {
  type WriteQuery,
  booleanOption,
  deletionErrors,
  integerOption,
  invalidOptions,
} from "./query.ts";
import { type ResourceRequest, headerOf } from "./request.ts";
import { present } from "../../../present.ts";

/** The kind of the object at the endpoint: the resource's, or the subresource's own. */
function expectedKind({ resource, subresource }: ResourceRequest): ExpectedKind {
  const { group, version, kind } = subresource ?? resource;
  const isParent = kind === resource.kind;
  const isEviction = group === "policy" && kind === "Eviction";
  return {
    group,
    version,
    kind,
    builtIn: resource.builtIn || !isParent,
    ...(isEviction ? { alsoIn: "v1beta1" } : {}),
    ...(resource.builtIn || isParent ? {} : { stranger: true }),
    ...(isParent && resource.dropUnknown ? { dropUnknown: resource.dropUnknown } : {}),
  };
}

/** Refuses a body of another media type before anything else. @throws StatusError 415 */
export function checkMediaType({ request }: ResourceRequest): void {
  bodyForm(headerOf(request, "content-type"));
}

/** The object in the body of a POST or PUT. @throws StatusError 400 or 415 */
export async function readObject(asked: ResourceRequest, query: WriteQuery): Promise<SentObject> {
  const { object, warnings, refusal } = decodeBody(
    await asked.request.body(),
    headerOf(asked.request, "content-type"),
    expectedKind(asked),
    query.fieldValidation,
  );
  warn(asked, warnings);
  if (refusal) throw refusal;
  tidyMetadata(object);
  return object;
}

/** The patch in the body of a PATCH. @throws StatusError 400 */
export async function readPatch(asked: ResourceRequest, form: PatchForm): Promise<DecodedPatch> {
  return decodePatch(await asked.request.body(), form);
}

/**
 * The result of a patch, checked like a body.
 *
 * @param live - the object that was patched
 * @throws StatusError 422
 */
export function checkPatched(
  asked: ResourceRequest,
  object: unknown,
  live: SentObject,
  patch: DecodedPatch,
  query: WriteQuery,
): SentObject {
  const { object: accepted, warnings } = acceptPatched(
    object,
    live,
    expectedKind(asked),
    patch,
    query.fieldValidation,
  );
  warn(asked, warnings);
  tidyMetadata(accepted);
  return accepted;
}

/** The result of an apply, with the values of its types. @throws StatusError 500 */
export function checkApplied({ resource }: ResourceRequest, object: SentObject): SentObject {
  return acceptApplied(object, resource, resource.builtIn);
}

/** The configuration in the body of an apply. @throws StatusError 400 */
export async function readConfiguration(
  asked: ResourceRequest,
  query: WriteQuery,
): Promise<DecodedConfiguration> {
  return decodeConfiguration(await asked.request.body(), query.fieldValidation);
}

/**
 * Reports the mistakes that strict decoding found in a configuration, after it was applied
 * successfully.
 *
 * @throws StatusError 400 with `Strict`
 */
export function tellMistakes(
  asked: ResourceRequest,
  { warnings, refusal }: Pick<DecodedConfiguration, "warnings" | "refusal">,
): void {
  if (refusal) throw refusal;
  warn(asked, warnings);
}

/** Adds warnings one by one: there may be more than a call takes arguments. */
function warn({ warnings }: ResourceRequest, more: readonly string[]): void {
  for (const warning of more) warnings.push(warning);
}

/**
 * The options of a DELETE, from its body or, without one, its query.
 *
 * @throws StatusError 400 or 422
 */
export async function readDeletion(asked: ResourceRequest): Promise<{
  readonly deletion: DeletionOptions;
  readonly dryRun: boolean;
  /** The options as admission sees them, without the dry run. */
  readonly shown: JsonObject;
}> {
  const bytes = await asked.request.body();
  const contentType = headerOf(asked.request, "content-type");
  const options =
    bytes.length > 0 ? deletionOf(decodeDeleteOptions(bytes, contentType)) : optionsOfQuery(asked);
  const errors = deletionErrors(
    options.propagationPolicy,
    options.orphanDependents,
    options.dryRun,
  );
  if (errors.length > 0) throw invalidOptions("DeleteOptions", errors);
  const { dryRun, ...deletion } = options;
  return { deletion, dryRun: dryRun.length > 0, shown: shownDeletion(deletion) };
}

function shownDeletion({ uid, resourceVersion, ...rest }: DeletionOptions): JsonObject {
  const preconditions = {
    ...present({ uid, resourceVersion }),
  };
  return { ...rest, ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }) };
}

type WithDryRun = DeletionOptions & { readonly dryRun: readonly string[] };

/** `DeleteOptions` as in a body. */
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

/** The options of a deletion; null is absent. */
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

function optionsOfQuery({ request: { query } }: ResourceRequest): WithDryRun {
  const grace = integerOption(query, "gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const [uid, resourceVersion] = [query.get("uid"), query.get("resourceVersion")];
  return {
    ...present({ gracePeriodSeconds: grace }),
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
