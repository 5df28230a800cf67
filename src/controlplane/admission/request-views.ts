/** A write in the versions that webhooks and policies match. */
import type { SentObject } from "../../kube/object.ts";
import { groupResourceOf } from "../../kube/resource.ts";
import type { ServedResource } from "../kinds.ts";
import { RequestView } from "./activation.ts";
import type { AdmissionRequest, ConvertObject } from "./attributes.ts";
import { reviewRequest } from "./review.ts";

/**
 * The request with its objects in another version of the resource.
 *
 * @throws StatusError when they cannot be converted
 */
export async function requestIn(
  request: AdmissionRequest,
  resource: ServedResource,
  convert: ConvertObject,
): Promise<AdmissionRequest> {
  if (resource === request.resource) return request;
  const { object, oldObject, resource: own, kind } = request;
  // A subresource with a kind of its own has no other version.
  if (kind.kind !== own.kind) return request;
  return {
    ...request,
    ...(object ? { object: await convert(object, own, resource) } : {}),
    ...(oldObject ? { oldObject: await convert(oldObject, own, resource) } : {}),
  };
}

/** The views of one write for expressions; each version is made once. */
export class RequestViews {
  readonly #request: AdmissionRequest;
  readonly #convert: ConvertObject;
  readonly #namespaces: (name: string) => SentObject | undefined;
  readonly #known = new Map<ServedResource, Promise<RequestView>>();

  constructor(
    request: AdmissionRequest,
    convert: ConvertObject,
    namespaces: (name: string) => SentObject | undefined,
  ) {
    this.#request = request;
    this.#convert = convert;
    this.#namespaces = namespaces;
  }

  in(resource: ServedResource): Promise<RequestView> {
    let view = this.#known.get(resource);
    if (!view) {
      view = requestIn(this.#request, resource, this.#convert).then((request) =>
        viewOf(request, resource),
      );
      this.#known.set(resource, view);
    }
    return view;
  }

  /** The namespace of the object as expressions see it; absent for a namespace itself. */
  namespaceOf({ resource, namespace }: AdmissionRequest): unknown {
    if (groupResourceOf(resource) === "namespaces" || namespace === "") return null;
    const found = this.#namespaces(namespace);
    if (!found) return null;
    return { ...without(found, "apiVersion", "kind"), metadata: shownMetadata(found) };
  }
}

/** The view of a request whose objects are in the version of `resource`. */
export function viewOf(request: AdmissionRequest, resource: ServedResource): RequestView {
  return new RequestView(request, reviewRequest(request, resource, ""));
}

const shownMetadata = ({ metadata }: SentObject): object =>
  without(metadata, "ownerReferences", "managedFields");

function without(object: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
