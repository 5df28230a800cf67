/**
 * Answers admission reviews: changes by defaulters, refusals by validators, answers of handlers.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response
 */
import type {
  AdmissionAnswer,
  AdmissionRequest,
  GroupVersionKind,
} from "../../kube/webhooks/admission.ts";
import { copyJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject, KubeObject, SentObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { StatusError } from "../../kube/status.ts";
import type { WebhookMark } from "../../kube/webhooks/webhook-marks.ts";
import { stringifyExact } from "../rest/json/exact-json.ts";
import { bad } from "./admission-request.ts";
import type { AdmissionRoute } from "./handlers.ts";
import { differenceOf } from "./json-difference.ts";
import type { Patience } from "./requests/patience.ts";
import { reasonOf } from "./requests/replies.ts";
import { OpenReview, OpenValidation } from "./review.ts";

/**
 * The response to a request; a promise when the handler returned one.
 *
 * @throws ReviewFailure 400 for a request that the handler cannot answer; the error of the handler
 */
export function admit(
  route: AdmissionRoute,
  request: AdmissionRequest,
  patience: Patience,
): JsonObject | Promise<JsonObject> {
  switch (route.asks) {
    case "default":
      return admitDefaults(route, request, patience);
    case "validate":
      return admitValid(route, request, patience);
    case "handle":
      return admitHandled(route, request, patience);
  }
}

type RouteOf<A extends AdmissionRoute["asks"]> = Extract<AdmissionRoute, { readonly asks: A }>;

const ALLOWED = { allowed: true };

function admitDefaults(
  { mark, handler }: RouteOf<"default">,
  request: AdmissionRequest,
  patience: Patience,
): JsonObject | Promise<JsonObject> {
  // A deleted object cannot be changed, and a connection has no fields to fill in.
  if (request.operation === "DELETE" || request.operation === "CONNECT") return ALLOWED;
  const before = objectOf(request, "object", mark);
  const object = copyJson(before);
  const review = new OpenReview(request, patience);
  const answer = (): JsonObject => ({
    ...ALLOWED,
    ...patchOf(before, object),
    ...warningsOf(review),
  });
  return after(() => handler.default(object, review), answer, review);
}

function admitValid(
  { mark, handler }: RouteOf<"validate">,
  request: AdmissionRequest,
  patience: Patience,
): JsonObject | Promise<JsonObject> {
  const { operation } = request;
  if (operation === "CONNECT") return ALLOWED;
  const object = objectOf(request, operation === "DELETE" ? "oldObject" : "object", mark);
  const review = new OpenValidation(request, patience, object);
  const answer = (): JsonObject => {
    const refusal = review.refusal();
    return refusal ? refused(refusal, review) : { ...ALLOWED, ...warningsOf(review) };
  };
  const validate = (): void | Promise<void> => {
    if (operation === "CREATE") return handler.validateCreate?.(object, review);
    if (operation === "DELETE") return handler.validateDelete?.(object, review);
    return handler.validateUpdate?.(object, objectOf(request, "oldObject", mark), review);
  };
  return after(validate, answer, review);
}

function admitHandled(
  { mark, handler }: RouteOf<"handle">,
  request: AdmissionRequest,
  patience: Patience,
): JsonObject | Promise<JsonObject> {
  const review = new OpenReview(request, patience);
  const answer = (said: AdmissionAnswer | undefined): JsonObject => {
    // The handler forgot a `return`, which does not compile.
    if (typeof said?.allowed !== "boolean") throw new Error("handle returned no answer");
    const { allowed, message = "", code = 403, object, auditAnnotations } = said;
    const status = allowed
      ? { metadata: {}, code: 200, message }
      : { metadata: {}, status: "Failure", message, reason: reasonOf(code), code };
    return {
      allowed,
      ...(allowed && message === "" ? {} : { status }),
      ...(allowed && object ? changedBy(object, request, mark.mutating) : {}),
      ...(auditAnnotations ? { auditAnnotations } : {}),
      ...warningsOf(review),
    };
  };
  return after(() => handler.handle(review), answer, review);
}

function changedBy(object: SentObject, request: AdmissionRequest, mutating: boolean): JsonObject {
  if (!mutating)
    throw new Error("a validating webhook answered with an object; it cannot change any");
  if (!request.object) {
    throw new Error(`a ${request.operation} request has no object that a webhook can change`);
  }
  return patchOf(request.object, object);
}

/** The answer after the handler's work. A `StatusError` that it throws is a refusal. */
function after<T>(
  work: () => T | Promise<T>,
  answer: (said: T) => JsonObject,
  review: OpenReview,
): JsonObject | Promise<JsonObject> {
  const thrown = (error: unknown): JsonObject => {
    // An error of the server is not a refusal of the user's request.
    if (error instanceof StatusError && error.code < 500) return refused(error, review);
    throw error;
  };
  try {
    const said = work();
    return isPromise(said) ? Promise.resolve(said).then(answer).catch(thrown) : answer(said);
  } catch (error) {
    return thrown(error);
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** The response that refuses a request with a Kubernetes status. */
function refused({ status }: StatusError, review: OpenReview): JsonObject {
  return { allowed: false, status, ...warningsOf(review) };
}

/** The object of the request, of the kind of the webhook. @throws ReviewFailure 400 */
function objectOf(
  request: AdmissionRequest,
  which: "object" | "oldObject",
  { resource }: WebhookMark,
): KubeObject {
  const { [which]: object, kind } = request;
  if (!object)
    throw bad(`the request has no ${which}, which a ${request.operation} request must have`);
  if (!isJsonObject(object.metadata)) throw bad(`the ${which} has no metadata`);
  if (resource && !isSameKind(kind, resource)) {
    const asked = `${kind.kind} of ${apiVersionOf(kind)}`;
    throw bad(
      `the request is about ${asked}, but the webhook is for ${resource.kind} of ${apiVersionOf(resource)}`,
    );
  }
  // The types of the handlers show which fields the server has not filled in yet.
  return object as KubeObject;
}

function isSameKind(one: GroupVersionKind, other: GroupVersionKind): boolean {
  return one.group === other.group && one.version === other.version && one.kind === other.kind;
}

function warningsOf({ warnings }: OpenReview): JsonObject {
  return warnings.length === 0 ? {} : { warnings };
}

function patchOf(before: object, after: object): JsonObject {
  const operations = differenceOf(before, after);
  if (operations.length === 0) return {};
  const patch = Buffer.from(stringifyExact(operations)).toString("base64");
  return { patch, patchType: "JSONPatch" };
}
