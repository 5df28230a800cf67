/**
 * Bodies of requests, decoded for the resource that they are meant for.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { badRequest } from "./failures.ts";
import type { ResourceRequest } from "./request.ts";

/** The object in the body of a POST or PUT. @throws StatusError 400 or 415 */
export async function readObject({ request, resource }: ResourceRequest): Promise<KubeObject> {
  const text = Buffer.from(await request.body()).toString("utf8");
  let object: KubeObject;
  try {
    object = JSON.parse(text) as KubeObject;
  } catch (thrown) {
    throw badRequest(thrown instanceof Error ? thrown.message : String(thrown));
  }
  return {
    ...object,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: object.metadata,
  };
}
