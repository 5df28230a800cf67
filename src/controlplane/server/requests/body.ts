/** Bodies of requests, decoded for their resource. */
import type { DeleteOptions, Preconditions } from "../../../generated/k8s/meta-v1.ts";
import type { SentObject } from "../../../kube/object.ts";
import { type BodyForm, bodyForm } from "../../wire/bodies/open.ts";
import type { ExpectedKind } from "../../wire/decode-kind.ts";
import { decodeObject } from "../../wire/decode-object.ts";
import {
  type DecodedConfiguration,
  type DecodedPatch,
  acceptPatched,
  decodeDeleteOptions,
} from "../../wire/decode-patch.ts";
import type { WriteOptions } from "../cluster/cluster.ts";
import type { DeletionOptions } from "../write/delete.ts";
import { tidyMetadata } from "../write/object-limits.ts";
import {
  type RequestedOptions,
  booleanOption,
  checkDryRun,
  checkOptions,
  integerOption,
  plainOptions,
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

/** The form of the body, by its media type. @throws StatusError 415 */
export const formOf = ({ request }: ResourceRequest): BodyForm =>
  bodyForm(headerOf(request, "content-type"));

/** The object in the body of a POST or PUT. @throws StatusError 400 or 415 */
export async function readObject(
  asked: ResourceRequest,
  { fieldValidation }: RequestedOptions,
  form?: BodyForm,
): Promise<SentObject> {
  const decoded = decodeObject(
    await asked.request.body(),
    form ?? formOf(asked),
    expectedKind(asked),
    fieldValidation,
  );
  tellMistakes(asked, decoded);
  tidyMetadata(decoded.object);
  return decoded.object;
}

/**
 * The result of a patch, checked like a body.
 *
 * @param live - the object that was patched
 * @throws StatusError 422
 */
export function checkPatched(
  asked: ResourceRequest,
  patched: unknown,
  live: SentObject,
  patch: DecodedPatch,
  { fieldValidation }: RequestedOptions,
): SentObject {
  const { object, warnings } = acceptPatched(
    patched,
    live,
    expectedKind(asked),
    patch,
    fieldValidation,
  );
  tellMistakes(asked, { warnings });
  tidyMetadata(object);
  return object;
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
  // One by one: there may be more than a call takes arguments.
  for (const warning of warnings) asked.warnings.push(warning);
  if (refusal) throw refusal;
}

/**
 * The options of a DELETE, from its body or, without one, its query.
 *
 * @returns them, and the options of the write, as admission sees them
 * @throws StatusError 400 or 422
 */
export async function readDeletion(
  asked: ResourceRequest,
): Promise<{ readonly deletion: DeletionOptions; readonly options: WriteOptions }> {
  const bytes = await asked.request.body();
  const { dryRun, ...deletion } = deletionOf(
    bytes.length > 0 ? decodeDeleteOptions(bytes, formOf(asked)) : optionsOfQuery(asked),
  );
  checkOptions("DeleteOptions", { ...deletion, dryRun }, (options) => {
    const policy = options.at("propagationPolicy");
    if (policy.value !== undefined) {
      if (deletion.orphanDependents !== undefined) {
        policy.invalid("orphanDependents and deletionPropagation cannot be both set");
      }
      if (!["Foreground", "Background", "Orphan"].includes(policy.value)) {
        policy.notSupported(["Foreground", "Background", "Orphan", "nil"]);
      }
    }
    checkDryRun(options.at("dryRun"));
  });
  const { uid, resourceVersion, ...shown } = deletion;
  const hasPreconditions = uid !== undefined || resourceVersion !== undefined;
  const preconditions = hasPreconditions ? present({ uid, resourceVersion }) : undefined;
  return {
    deletion,
    options: {
      ...plainOptions(asked),
      dryRun: dryRun.length > 0,
      asked: { ...shown, ...present({ preconditions }) },
    },
  };
}

/** An object whose fields may be null, which is the same as absent. */
type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };

/** `DeleteOptions` as in a body. */
interface DeletionBody extends Nullable<Omit<DeleteOptions, "preconditions">> {
  readonly preconditions?: Nullable<Preconditions> | null;
}

/** The options of a deletion, of `DeleteOptions` as in a body. */
export function deletionOf({
  preconditions,
  dryRun,
  gracePeriodSeconds,
  propagationPolicy,
  orphanDependents,
}: DeletionBody): DeletionOptions & { readonly dryRun: readonly string[] } {
  return {
    ...present({
      gracePeriodSeconds: gracePeriodSeconds ?? undefined,
      propagationPolicy: propagationPolicy ?? undefined,
      orphanDependents: orphanDependents ?? undefined,
      uid: preconditions?.uid ?? undefined,
      resourceVersion: preconditions?.resourceVersion ?? undefined,
    }),
    dryRun: dryRun ?? [],
  };
}

function optionsOfQuery({ request: { query } }: ResourceRequest): DeletionBody {
  return {
    gracePeriodSeconds: integerOption(query, "gracePeriodSeconds") ?? null,
    propagationPolicy: query.get("propagationPolicy"),
    orphanDependents: query.has("orphanDependents")
      ? booleanOption(query, "orphanDependents")
      : null,
    preconditions: { uid: query.get("uid"), resourceVersion: query.get("resourceVersion") },
    dryRun: query.getAll("dryRun"),
  };
}
