/** The intents that this process applied, so that an apply without effect is not sent. */
import { createHash } from "node:crypto";
import { isJsonObject } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";
import { stringifyExact } from "../rest/json/exact-json.ts";
import { LruMap } from "../lru.ts";

const MOST_INTENTS = 50_000;

export class AppliedIntents {
  readonly #applied = new LruMap<{ readonly digest: string; readonly uid: string | undefined }>(
    MOST_INTENTS,
  );

  /** Remembers that `request` led to `object`. */
  remember(request: AppliedRequest, object: KubeObject): void {
    this.#applied.set(idOf(object), { digest: digestOf(request), uid: object.metadata.uid });
  }

  /**
   * Whether applying `request` again would change nothing: it is the last one, the object is still
   * the same one, and its fields have the values of the intent. Fields of other managers are
   * ignored.
   */
  isDone(request: AppliedRequest, object: KubeObject): boolean {
    const applied = this.#applied.get(idOf(object));
    return (
      applied?.uid === object.metadata.uid &&
      applied.digest === digestOf(request) &&
      includes(object, request.intent) &&
      isOwned(object, request.ownerUid)
    );
  }
}

/** An apply, with everything that decides its result. */
export interface AppliedRequest {
  readonly intent: object;
  readonly ownerUid: string | undefined;
  readonly subresource: string | undefined;
  readonly fieldManager: string | undefined;
  readonly force: boolean;
}

function idOf(object: KubeObject): string {
  return `${object.apiVersion} ${object.kind} ${formatKey(keyOf(object))}`;
}

function digestOf(request: AppliedRequest): string {
  return createHash("sha1").update(stringifyExact(request)).digest("base64");
}

function isOwned(object: KubeObject, ownerUid: string | undefined): boolean {
  const references = object.metadata.ownerReferences ?? [];
  return (
    ownerUid === undefined ||
    references.some(({ uid, controller }) => uid === ownerUid && controller === true)
  );
}

/** Whether `actual` has all fields of `wanted`; lists must have equal length. */
function includes(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined || actual === wanted) return true;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => includes(actual[index], item))
    );
  }
  if (!isJsonObject(wanted) || !isJsonObject(actual)) return false;
  return Object.entries(wanted).every(
    ([key, value]) =>
      (value === undefined || Object.hasOwn(actual, key)) && includes(actual[key], value),
  );
}
