/**
 * Objects without anything but their metadata, as the server sends them on request.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";

/** What to accept for one object, or a list, of the kind; `undefined` for whole objects. */
export function acceptOf(resource: ResourceInfo, list: boolean): { readonly accept?: string } {
  if (!resource.metadataOnly) return {};
  const kind = list ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` };
}

/** Lets an object that came as `PartialObjectMetadata` say of which kind it is. */
export function nameKind<T extends KubeObject>(object: T, resource: ResourceInfo): T {
  if (!resource.metadataOnly) return object;
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  return object;
}

/** The part of a whole object that a metadata-only cache keeps. */
export function metadataPart({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}
