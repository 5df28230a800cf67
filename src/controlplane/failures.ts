/**
 * The API server's own failures, each as the `Status` of a real server.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/
 */
import { quote } from "../kube/field-errors.ts";
import { type ResourceInfo, apiVersionOf, groupResourceOf } from "../kube/resource.ts";
import { type StatusError, type StatusCause, type StatusDetails, failure } from "../kube/status.ts";

type Named = Pick<ResourceInfo, "group" | "plural">;

const detailsOf = (resource: Named, name: string): StatusDetails => ({
  ...(name === "" ? {} : { name }),
  ...(resource.group === "" ? {} : { group: resource.group }),
  kind: resource.plural,
});

const nameOf = (resource: Named, name: string): string =>
  `${groupResourceOf(resource)} ${quote(name)}`;

/** 404 of an object. */
export const notFound = (resource: Named, name: string): StatusError =>
  failure(404, "NotFound", `${nameOf(resource, name)} not found`, detailsOf(resource, name));

/** 404 of a path within a built-in group. */
export const noSuchResource = (): StatusError =>
  failure(404, "NotFound", "the server could not find the requested resource", {});

/** 409: the name is taken. */
export const alreadyExists = (resource: Named, name: string, prefix = ""): StatusError =>
  failure(
    409,
    "AlreadyExists",
    `${prefix}${nameOf(resource, name)} already exists`,
    detailsOf(resource, name),
  );

/** 409 Conflict, for the given reason. */
export const conflict = (resource: Named, name: string, why: string): StatusError =>
  failure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${nameOf(resource, name)}: ${why}`,
    detailsOf(resource, name),
  );

/** 409: the object was changed since it was read. */
export const modified = (resource: Named, name: string): StatusError =>
  conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );

/** 400. */
export const badRequest = (message: string): StatusError => failure(400, "BadRequest", message);

/** 403 about an object, or about a resource when `name` is empty. */
export const forbiddenTo = (
  resource: Named,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError =>
  failure(
    403,
    "Forbidden",
    `${groupResourceOf(resource)}${name === "" ? "" : ` ${quote(name)}`} is forbidden: ${why}`,
    { ...detailsOf(resource, name), ...(causes ? { causes } : {}) },
  );

/** 405 of a built-in resource. */
export const methodNotAllowed = (): StatusError =>
  failure(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );

/** 405 of a custom resource, which names the verb. */
export const verbNotSupported = (resource: Named, verb: string): StatusError =>
  failure(
    405,
    "MethodNotAllowed",
    `${verb} is not supported on resources of kind ${quote(groupResourceOf(resource))}`,
    detailsOf(resource, ""),
  );

/** 410: the version is no longer held. */
export const expired = (message: string): StatusError => failure(410, "Expired", message);

/** 500 without a reason, as the API server answers errors that it has no `Status` for. */
export const plainError = (message: string): StatusError => failure(500, "", message);

/** 500 InternalError. */
export const internalError = (message: string): StatusError =>
  failure(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });

/** 429: the watch cache of a resource cannot be filled on a real server. */
export const notInitialised = (resource: ResourceInfo, why: string): StatusError =>
  failure(
    429,
    "TooManyRequests",
    `storage is (re)initializing: failed to list ${apiVersionOf(resource)}, Kind=${resource.kind}: ${why}`,
    { retryAfterSeconds: 1 },
  );

/** 504: a version that the store has not reached yet. */
export const tooLargeVersion = (wanted: number, current: number): StatusError =>
  failure(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
