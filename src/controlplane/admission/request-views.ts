/** A write in the versions that webhooks and policies match, and as expressions see it. */
import { type CelValue, ValueList, ValueMap } from "../../kube/cel/values.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { ServedResource } from "../kinds.ts";
import { type AdmissionRequest, type ConvertObject, hasOwnKind } from "./attributes.ts";
import { reviewRequest } from "./review.ts";
import type { WebhookSource } from "./webhooks.ts";

/**
 * The request with its objects in another version of the resource.
 *
 * @throws StatusError when they cannot be converted
 */
export async function requestIn(
  request: AdmissionRequest,
  version: ServedResource,
  convert: ConvertObject,
): Promise<AdmissionRequest> {
  const { object, oldObject, resource } = request;
  // A subresource with a kind of its own has no other version.
  if (version === resource || !hasOwnKind(request)) return request;
  return {
    ...request,
    ...(object ? { object: await convert(object, resource, version) } : {}),
    ...(oldObject ? { oldObject: await convert(oldObject, resource, version) } : {}),
  };
}

/** A write as expressions see it; each part of it is turned into CEL values once. */
export class RequestView {
  readonly request: AdmissionRequest;
  readonly version: ServedResource;
  readonly #values = new Map<string, CelValue>();

  /** @param version - of the objects in the request */
  constructor(request: AdmissionRequest, version: ServedResource) {
    this.request = request;
    this.version = version;
  }

  value(name: "object" | "oldObject" | "request"): CelValue {
    let value = this.#values.get(name);
    if (value === undefined) {
      const { request } = this;
      value = valueOfJson(
        name === "request" ? reviewRequest(request, this.version, "") : request[name],
      );
      this.#values.set(name, value);
    }
    return value;
  }
}

/** The namespace of the object as expressions see it; `null` for a namespace itself. */
export function namespaceOf(
  { store }: Pick<WebhookSource, "store">,
  { resource, namespace }: AdmissionRequest,
): unknown {
  if (groupResourceOf(resource) === "namespaces") return null;
  const found = store.get("namespaces", namespace);
  if (!found) return null;
  return {
    ...without(found, "apiVersion", "kind"),
    metadata: without(found.metadata, "ownerReferences", "managedFields"),
  };
}

const without = (object: object, ...names: readonly string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** JSON without a schema as a value of CEL: whole numbers are integers. */
export function valueOfJson(json: unknown): CelValue {
  if (json === undefined || json === null) return null;
  if (Array.isArray(json)) return new ValueList(json.map(valueOfJson));
  if (typeof json === "object") {
    const map = new ValueMap();
    for (const [key, value] of Object.entries(json)) map.set(key, valueOfJson(value));
    return map;
  }
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  return json as string | boolean | bigint;
}
