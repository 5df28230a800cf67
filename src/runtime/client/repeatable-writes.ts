/** The writes of a client that have the same result each time, as the cache remembers them. */
import type { Intent } from "../../kube/input.ts";
import { isJsonObject, sameJson } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { RepeatableWrite } from "../cache/answered-writes.ts";
import { namedPart } from "../cache/owned-part.ts";
import type { ApplyOptions, PatchOptions, StatusPatchOptions, WriteOptions } from "./client.ts";
import type { WriteDefaults } from "./live-client.ts";
import type { Patch } from "./patches.ts";

const MERGE_PATCH = "application/merge-patch+json";

/** The apply of an intent. */
export function applyOf<T extends KubeObject>(
  intent: Intent<T>,
  { owner, force = true, ...options }: ApplyOptions,
  defaults: WriteDefaults,
  subresource?: string,
): RepeatableWrite {
  const { fieldManager, fieldValidation } = { ...defaults, ...chosen(options) };
  return {
    verb: verbOf("apply", subresource),
    fieldManager,
    request: { intent, ownerUid: owner?.metadata.uid, force, fieldValidation },
    applier: { manager: fieldManager, subresource },
    intent,
    partOf: (object) => namedPart(object, intent),
  };
}

/** A patch with the same result each time; `undefined` for any other. */
export function patchOf(
  { contentType, body }: Patch,
  options: PatchOptions,
  defaults: WriteDefaults,
): RepeatableWrite | undefined {
  return contentType === MERGE_PATCH ? mergeOf(body, options, defaults) : undefined;
}

/** The patch of a status. */
export function statusPatchOf(
  status: object,
  options: StatusPatchOptions,
  defaults: WriteDefaults,
): RepeatableWrite {
  return mergeOf({ status }, options, defaults, "status");
}

function mergeOf(
  body: unknown,
  options: WriteOptions,
  defaults: WriteDefaults,
  subresource?: string,
): RepeatableWrite {
  const { fieldManager, fieldValidation } = { ...defaults, ...chosen(options) };
  return {
    verb: verbOf("patch", subresource),
    fieldManager,
    request: { body, fieldValidation },
    partOf: (object) => namedPart(object, body),
  };
}

/**
 * The update of an object that was read as `known`; `undefined` where the status is changed, too: for most kinds the
 * server ignores that.
 */
export function updateOf(
  object: KubeObject,
  known: KubeObject,
  options: WriteOptions,
  defaults: WriteDefaults,
): RepeatableWrite | undefined {
  if (!sameJson(statusIn(object), statusIn(known))) return undefined;
  const { fieldManager, fieldValidation } = { ...defaults, ...chosen(options) };
  return {
    verb: "update",
    fieldManager,
    request: { object: contentOf(object), fieldValidation },
    partOf: contentOf,
  };
}

/** Whether a write with that version in its metadata is about this state of the object. */
export function isOfVersion(
  { metadata: { resourceVersion } }: KubeObject,
  body: unknown,
  lock?: KubeObject,
): boolean {
  const metadata = isJsonObject(body) && isJsonObject(body["metadata"]) ? body["metadata"] : {};
  const wanted = [metadata["resourceVersion"], lock?.metadata.resourceVersion];
  return wanted.every((version) => version === undefined || version === resourceVersion);
}

/** An object without its status, and without the metadata that each write changes. */
function contentOf(object: KubeObject): object {
  const { resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata, status: undefined };
}

function statusIn(object: object): unknown {
  return (object as { status?: unknown }).status;
}

function verbOf(verb: string, subresource: string | undefined): string {
  return subresource === undefined ? verb : `${verb} ${subresource}`;
}

/** The options that are given: one that is `undefined` is not. */
function chosen({ fieldManager, fieldValidation }: WriteOptions): Partial<WriteDefaults> {
  return {
    ...(fieldManager !== undefined && { fieldManager }),
    ...(fieldValidation !== undefined && { fieldValidation }),
  };
}
