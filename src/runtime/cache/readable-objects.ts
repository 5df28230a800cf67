/**
 * Checks that a value from a server is an object that a cache can keep: it may lack a name, or have
 * a number as its name.
 *
 * Each bad object is left out alone, so that it hides no other one. An API server checks the
 * metadata of all objects; a server that stands in for one may not.
 */
import type { Logger } from "../../log.ts";
import { isJsonObject } from "../../kube/json.ts";
import { pathSegmentErrors } from "../../kube/names.ts";
import type { KubeObject } from "../../kube/object.ts";
import { ToldBefore } from "../told-before.ts";

/** The options of the check. */
interface ReadableObjectsOptions {
  readonly log: Logger;
  readonly kind: string;
  /** Called for each object that is left out. */
  readonly count: () => void;
}

export class ReadableObjects<T extends KubeObject> {
  readonly #options: ReadableObjectsOptions;
  readonly #told = new ToldBefore();

  constructor(options: ReadableObjectsOptions) {
    this.#options = options;
  }

  /** Whether the cache can keep the value; if not, it is counted, and logged once. */
  take(value: unknown): value is T {
    const problem = problemOf(value);
    if (problem === undefined) return true;
    const { log, kind, count } = this.#options;
    count();
    const object = objectNameOf(value);
    if (this.#told.isFirst(`${object} ${problem}`)) {
      log.error({ kind, object, problem }, "an object cannot be read and is left out of the cache");
    }
    return false;
  }
}

/** The reason why a cache cannot keep the value as an object; `undefined` when it can. */
export function problemOf(value: unknown): string | undefined {
  if (!isJsonObject(value)) return "it is not a JSON object";
  const { metadata } = value;
  if (!isJsonObject(metadata)) return "it has no metadata";
  const { name, namespace, uid, resourceVersion } = metadata;
  if (typeof name !== "string" || name === "") return "metadata.name is missing or is not a string";
  return (
    segmentProblem("name", name) ??
    (isAbsentOr("string", namespace) ? undefined : "metadata.namespace is not a string") ??
    segmentProblem("namespace", namespace) ??
    (isAbsentOr("string", uid) ? undefined : "metadata.uid is not a string") ??
    (isAbsentOr("string", resourceVersion)
      ? undefined
      : "metadata.resourceVersion is not a string") ??
    collectionProblem(metadata)
  );
}

/** Keys of objects are `namespace/name`, and requests are paths: neither may have a slash of its own. */
function segmentProblem(field: string, value: unknown): string | undefined {
  if (typeof value !== "string" || !/^\.|[/%]/.test(value)) return undefined;
  const [error] = pathSegmentErrors(value);
  return error === undefined ? undefined : `metadata.${field} ${error}`;
}

/** Checks the maps and lists in the metadata that readers rely on. */
function collectionProblem(metadata: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of ["labels", "annotations"]) {
    const value = metadata[field] ?? undefined;
    if (value !== undefined && !isJsonObject(value)) return `metadata.${field} is not an object`;
  }
  const { finalizers, ownerReferences } = metadata;
  if (!isListOf((item) => typeof item === "string", finalizers)) {
    return "metadata.finalizers is not a list of strings";
  }
  if (!isListOf(isOwner, ownerReferences)) {
    return "metadata.ownerReferences is not a list of references";
  }
  return undefined;
}

function isAbsentOr(type: "string", value: unknown): boolean {
  return value === undefined || typeof value === type;
}

function isListOf(isItem: (item: unknown) => boolean, value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isItem));
}

function isOwner(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { apiVersion, kind, name } = value;
  return typeof apiVersion === "string" && typeof kind === "string" && typeof name === "string";
}

function objectNameOf(value: unknown): string {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  const { namespace, name } = (metadata ?? {}) as { namespace?: unknown; name?: unknown };
  return [namespace, name].filter((part) => typeof part === "string").join("/") || "without a name";
}
