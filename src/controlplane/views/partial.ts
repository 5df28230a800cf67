/** Objects reduced to their metadata. */
import type { KubeList, SentObject, ListMeta, ObjectMeta } from "../../kube/object.ts";
import { type StatusError, failure } from "../../kube/status.ts";
import { notAcceptable } from "./not-acceptable.ts";

/** A `meta.k8s.io` PartialObjectMetadata. */
export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

/** A `meta.k8s.io` PartialObjectMetadataList. */
export interface PartialObjectMetadataList {
  readonly kind: "PartialObjectMetadataList";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly PartialObjectMetadata[] | null;
}

/** The object reduced to its metadata. */
export function partialOf(object: SentObject, version: "v1" | "v1beta1"): PartialObjectMetadata {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  };
}

/** The list with its objects reduced to their metadata; `items` is null when the list is empty. */
export function partialListOf(
  list: KubeList<SentObject>,
  version: "v1" | "v1beta1",
): PartialObjectMetadataList {
  const { continue: next, ...metadata } = list.metadata;
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: { ...metadata, ...(next ? { continue: next } : {}) },
    items: list.items.length === 0 ? null : list.items.map((object) => partialOf(object, version)),
  };
}

/**
 * The refusal of metadata of one object for a list, or of a list for one object; the latter is a
 * 500 for custom resources.
 */
export function wrongPartial(isList: boolean, goType: string): StatusError {
  if (isList) {
    return notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (*${goType})`,
    );
  }
  if (goType.startsWith("unstructured.")) return failure(500, "", "content is not a list");
  return notAcceptable(
    `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType})`,
  );
}
