/** The fields that every object has, as a CRD describes them. */
import type { Schema } from "../kube/schema/structural.ts";

/**
 * The API conventions' descriptions of the first two fields of every object; kubectl explain shows
 * them.
 */
const API_VERSION =
  "APIVersion defines the versioned schema of this representation of an object.\nServers should convert recognized schemas to the latest internal value, and\nmay reject unrecognized values.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND =
  "Kind is a string value representing the REST resource this object represents.\nServers may infer this from the endpoint the client submits requests to.\nCannot be updated.\nIn CamelCase.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

/** `apiVersion`, `kind` and `metadata` of a CRD's root, unless `@ObjectFields` says otherwise. */
export const standardFields = {
  apiVersion: { type: "string", description: API_VERSION },
  kind: { type: "string", description: KIND },
  metadata: { type: "object" },
} as const satisfies Record<string, Schema>;
