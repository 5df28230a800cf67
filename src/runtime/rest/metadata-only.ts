/**
 * Objects with their metadata only, as the server sends them on request.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo, type ResourceType } from "../../kube/resource.ts";
import { markPartial } from "./partial-objects.ts";
import type { WatchEvent, WatchStream } from "./watch-events.ts";

/** The Accept header for one object, or a list, of the kind; none for whole objects. */
export function acceptOf(resource: ResourceInfo, list: boolean): { readonly accept?: string } {
  if (!resource.metadataOnly) return {};
  return { accept: metadataType(list) };
}

/** The media type of the metadata of an object, or of a list. */
export function metadataType(list: boolean): string {
  const kind = list ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

/** Whether whole objects of the kind are read. */
export function isWhole(resource: ResourceInfo): resource is ResourceType {
  return resource.metadataOnly === undefined;
}

/**
 * Refuses to write an object of which only the metadata was read: the rest of it would be removed.
 *
 * @param deed - for the message: `updated`
 * @throws TsopError `metadata-only-write`
 */
export function assertWhole(resource: ResourceInfo, deed: string): void {
  if (isWhole(resource)) return;
  throw new TsopError(
    "metadata-only-write",
    `${resource.kind} cannot be ${deed} by metadataOf(${resource.kind}): everything except its metadata would be lost.`,
    `Patch it (client.patch), or read and write it whole, with ${resource.kind} itself.`,
  );
}

/** Gives an object that came as `PartialObjectMetadata` its own kind, and marks it as partial. */
export function nameKind<T extends { apiVersion: string; kind: string }>(
  object: T,
  resource: ResourceInfo,
): T {
  if (!resource.metadataOnly) return object;
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  return markPartial(object);
}

/** The same for all objects of a watch. */
export function nameKinds<T extends KubeObject>(
  stream: WatchStream<T>,
  resource: ResourceInfo,
): WatchStream<T> {
  return resource.metadataOnly ? namedKinds(stream, resource) : stream;
}

async function* namedKinds<T extends KubeObject>(
  stream: WatchStream<T>,
  resource: ResourceInfo,
): AsyncGenerator<readonly WatchEvent<T>[]> {
  for await (const events of stream) {
    for (const { object } of events) nameKind(object, resource);
    yield events;
  }
}

/** The part of a whole object that a metadata-only cache keeps. */
export function metadataPart({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return markPartial({ apiVersion, kind, metadata });
}
