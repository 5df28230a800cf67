/**
 * Answers conversion reviews: reads the request, and calls the registry of converters.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-request-and-response
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { frozen } from "../cache/freeze.ts";
import { bad } from "./admission-request.ts";
import type { ConversionRegistry } from "./conversion/conversion-registry.ts";
import type { Patience } from "./requests/patience.ts";
import type { AskedReview } from "./requests/replies.ts";

const GROUP = "apiextensions.k8s.io";
const VERSIONS: readonly string[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];

export interface ConversionRequest {
  readonly desiredAPIVersion: string;
  readonly objects: readonly SentObject[];
}

/** The form of the answer to a review, as far as it can be read. */
export function askedConversionOf(value: unknown): AskedReview {
  const { apiVersion, kind, request } = isJsonObject(value) ? value : {};
  const isKnown = kind === "ConversionReview" && VERSIONS.includes(apiVersion as string);
  const uid = isJsonObject(request) ? request["uid"] : undefined;
  return {
    uid: typeof uid === "string" ? uid : "",
    apiVersion: isKnown ? (apiVersion as string) : `${GROUP}/v1`,
    kind: "ConversionReview",
  };
}

/** The request of a review. @throws ReviewFailure 400 */
export function conversionRequestOf(value: unknown): ConversionRequest {
  const { apiVersion, kind, request } = isJsonObject(value) ? value : {};
  if (kind !== "ConversionReview" || !VERSIONS.includes(apiVersion as string)) {
    throw bad(`the body is not a ConversionReview of ${VERSIONS.join(" or ")}`);
  }
  if (!isJsonObject(request)) throw bad("the ConversionReview has no request");
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== "string" || uid === "") throw bad("the request has no uid");
  if (typeof desiredAPIVersion !== "string" || desiredAPIVersion === "") {
    throw bad("the request has no desiredAPIVersion");
  }
  if (!Array.isArray(objects)) throw bad("the request has no objects");
  for (const [index, object] of (objects as unknown[]).entries()) {
    // An object of an apply may lack metadata.
    const { apiVersion: from, kind: of } = isJsonObject(object) ? object : {};
    if (typeof from !== "string" || typeof of !== "string") {
      throw bad(`objects[${index}] has no apiVersion or kind`);
    }
  }
  return { desiredAPIVersion, objects: frozen(objects as SentObject[]) };
}

/** The response to a request. @throws Error with the reason why the objects cannot be converted */
export function convert(
  registry: ConversionRegistry,
  { objects, desiredAPIVersion }: ConversionRequest,
  { patience, pathname }: { readonly patience: Patience; readonly pathname: string },
): JsonObject | Promise<JsonObject> {
  // The registry checks the signal between the objects of a long list.
  const converted = registry.convert(objects, desiredAPIVersion, patience.signal, pathname);
  return converted instanceof Promise ? converted.then(responseOf) : responseOf(converted);
}

const responseOf = (convertedObjects: readonly SentObject[]): JsonObject => ({
  convertedObjects,
  result: { status: "Success" },
});

/** The response for objects that cannot be converted; users see the message. */
export function conversionFailed(message: string): JsonObject {
  return { convertedObjects: [], result: { status: "Failure", message } };
}
