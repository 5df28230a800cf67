/** The bridge from the write path to admission: the request about a write, and its result. */
import { asObject } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { groupResourceOf, parseApiVersion } from "../../../kube/resource.ts";
import type {
  AdmissionOperation,
  AdmissionRequest,
  AdmittedKind,
} from "../../admission/attributes.ts";
import { managersMistake } from "../../apply/managers.ts";
import { findBuiltInSchema } from "../../builtin/definitions.ts";
import { readType } from "../../wire/bodies/body.ts";
import { readBuiltInKind } from "../../wire/decode-kind.ts";
import { problemOf, strictMistake } from "../../wire/bodies/problems.ts";
import { WireError } from "../../wire/json/wire-error.ts";
import type { Write } from "../cluster/cluster.ts";
import { internalError, plainError } from "../../failures.ts";
import { matchNamespace } from "./match-path.ts";
import { dedupOwners, tidyMetadata } from "./object-limits.ts";

const OPTIONS_KIND = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
} as const;

/** The admission request about a write. Its kind is that of the sent object. */
export function admissionRequest<O extends Pick<AdmissionRequest, "object" | "oldObject">>(
  { endpoint, namespace, name, options }: Omit<Write, "cluster">,
  operation: AdmissionOperation,
  objects: O,
): AdmissionRequest & O {
  const { resource, subresource } = endpoint;
  const { group, version, kind } = endpoint.kind ?? resource;
  return {
    operation,
    resource,
    subresource,
    kind: { group, version, kind },
    namespace: groupResourceOf(resource) === "namespaces" ? name : namespace,
    name,
    ...objects,
    user: options.user,
    dryRun: options.dryRun,
    options:
      operation === "CONNECT"
        ? null
        : {
            kind: OPTIONS_KIND[operation],
            apiVersion: "meta.k8s.io/v1",
            ...options.asked,
            ...(options.dryRun ? { dryRun: ["All"] } : {}),
          },
    warn: options.warn,
  };
}

/** When duplicate owners are found in an object that admission may have changed. */
export const AFTER_ADMISSION = " after mutating admission happens";

/**
 * The object of a write after mutating admission: the same one when it was not changed.
 *
 * @param admit - the server's own admission, before all other
 */
export async function mutated(
  { cluster, endpoint, namespace, options }: Write,
  request: AdmissionRequest & { readonly object: SentObject },
  admit?: (object: SentObject) => void,
): Promise<SentObject> {
  const { object } = request;
  const mutation = cluster.admission.mutate(request, admit);
  if (!mutation) admit?.(object);
  const admitted = (await mutation) ?? object;
  if (admitted !== object) {
    matchNamespace(endpoint.resource, namespace, admitted);
    dedupOwners(admitted.metadata, options.warn, AFTER_ADMISSION);
  }
  return admitted;
}

/**
 * Mutates and validates an object that a subresource takes without storing it (`Binding`, `Scale`).
 * @throws StatusError
 */
export async function admitSubresource(
  write: Write,
  sent: SentObject,
  operation: AdmissionOperation = "CREATE",
): Promise<SentObject> {
  const { admission } = write.cluster;
  const request = admissionRequest(write, operation, { object: sent });
  const object = (await admission.mutate(request)) ?? sent;
  await admission.validate({ ...request, object });
  return object;
}

/**
 * The result of a webhook's patch, with its defaults.
 *
 * @throws StatusError 500 when it is not an object of its kind
 */
export function acceptAdmitted(
  request: AdmissionRequest,
  patched: unknown,
  { isStrict = false } = {},
): SentObject {
  const { resource, kind, object } = request;
  const isParent = kind.kind === resource.kind;
  if (!resource.builtIn && !isParent) return acceptScale(request, patched);
  try {
    const type = readType(patched);
    // Validation reports a custom resource whose kind was changed.
    const isOwn = !resource.builtIn && type.kind !== "";
    if ((!isOwn && type.kind !== kind.kind) || type.apiVersion !== object?.apiVersion) {
      // Another known kind is decoded as that kind first, which may fail.
      const other = { ...parseApiVersion(type.apiVersion), kind: type.kind };
      if (findBuiltInSchema(other)) readBuiltInKind(patched, other);
      throw internalError(
        `no kind ${JSON.stringify(type.kind)} is registered for version ${JSON.stringify(type.apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
      );
    }
    const accepted = asObject(
      resource.builtIn || !isParent
        ? { ...readKnown(patched, kind, isStrict), ...type }
        : (patched as object),
    );
    tidyMetadata(accepted);
    if (isParent) resource.strategy.setDefaults(accepted, { keepUnknown: true });
    keepManagers(accepted, object, request.warn);
    return accepted;
  } catch (error) {
    if (error instanceof WireError) throw internalError(error.message);
    throw error;
  }
}

/**
 * The Scale of a custom resource is decoded only after all webhooks, from a map into its type, so
 * its errors have other words.
 *
 * @throws StatusError 500 when it is not a Scale
 */
function acceptScale({ kind, object }: AdmissionRequest, patched: unknown): SentObject {
  const type = readType(patched);
  if (type.kind !== kind.kind || type.apiVersion !== object?.apiVersion) {
    throw plainError(
      `no kind ${JSON.stringify(type.kind)} is registered for version ${JSON.stringify(type.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return asObject({ ...readKnown(patched, kind, false), ...type });
  } catch (error) {
    const goType =
      error instanceof WireError ? / of type (\w+)$/.exec(error.message)?.[1] : undefined;
    if (goType === undefined) throw error;
    throw plainError(
      `unable to convert unstructured object to ${type.apiVersion}, Kind=${type.kind}: unrecognized type: ${goType}`,
    );
  }
}

/** @throws WireError for wrong types, and with `isStrict` also for unknown fields */
function readKnown(patched: unknown, kind: AdmittedKind, isStrict: boolean): JsonObject {
  const { object, unknown } = readBuiltInKind(patched, kind);
  if (isStrict && unknown.length > 0) {
    throw new WireError(strictMistake(unknown.map((path) => problemOf("unknown", path))));
  }
  return object;
}

/** Restores the managed fields when a webhook broke them. */
function keepManagers(
  accepted: SentObject,
  before: SentObject,
  warn: AdmissionRequest["warn"],
): void {
  const { managedFields: given } = accepted.metadata;
  if (given?.length === 0) delete accepted.metadata.managedFields;
  const mistake = managersMistake(given);
  if (mistake === undefined) return;
  const { managedFields } = before.metadata;
  if (managedFields) accepted.metadata.managedFields = managedFields;
  else delete accepted.metadata.managedFields;
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${mistake}`,
  );
}
