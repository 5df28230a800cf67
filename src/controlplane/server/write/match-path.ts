/** The name and the namespace of an object, and those of the path that it was sent to. */
import type { SentObject } from "../../../kube/object.ts";
import { badRequest } from "../../failures.ts";
import type { ServedResource } from "../../kinds.ts";

/** @throws StatusError 400 when the object has no name, or another one than the path */
export function matchName(object: SentObject, name: string): void {
  const given = object.metadata.name ?? "";
  if (given === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
}

/**
 * Sets the object's namespace to the request's.
 *
 * @throws StatusError 400 when it has another one
 */
export function matchNamespace(
  resource: ServedResource,
  namespace: string,
  object: SentObject,
): void {
  const metadata = object.metadata;
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  if ((metadata.namespace ?? "") !== "" && metadata.namespace !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  metadata.namespace = namespace;
}
