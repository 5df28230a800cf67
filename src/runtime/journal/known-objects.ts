/**
 * The journal's memory of objects: their states before a write, their kinds, and the writer of each
 * version.
 */
import { isJsonObject } from "../../kube/json.ts";
import type { KubeObject } from "../../kube/object.ts";
import { LruMap } from "../lru.ts";
import { isConfidential, type AskedObject } from "./asked-object.ts";

const ANSWERS = 200;
const LARGEST_ANSWER = 64 * 1024;
const VERSIONS = 5000;
const KINDS = 1000;

/** Finds an object in the caches of the operator. */
export type FindCached = (
  resource: string,
  namespace: string | undefined,
  name: string,
) => KubeObject | undefined;

export class KnownObjects {
  readonly #findCached: FindCached;
  readonly #answers = new LruMap<KubeObject>(ANSWERS);
  readonly #kinds = new LruMap<string>(KINDS);
  /** `deployments.apps d/web 12` -> the reconcile that wrote it. */
  readonly #writers = new LruMap<string>(VERSIONS);

  constructor(findCached: FindCached) {
    this.#findCached = findCached;
  }

  /** The kind of `deployments.apps`, once an object of it was seen. */
  kindOf(resource: string): string | undefined {
    return this.#kinds.get(resource);
  }

  /** The present object, where it is known. */
  find(asked: AskedObject): KubeObject | undefined {
    const { resource, namespace, name } = asked;
    if (name === undefined) return undefined;
    const cached = this.#findCached(resource, namespace, name);
    const answered = this.#answers.get(idOf(resource, namespace, name));
    return cached ?? answered;
  }

  /** Records an answer; `writer` is the reconcile that wrote the object. */
  note(asked: AskedObject, answer: unknown, writer?: string): void {
    if (!isJsonObject(answer) || typeof answer["kind"] !== "string") return;
    const { kind, metadata } = answer as Partial<KubeObject> & { kind: string };
    if (kind === "Status" || kind.endsWith("List") || metadata?.name === undefined) return;
    if (!this.#isOfTheKind(asked)) return;
    const { namespace, name, resourceVersion } = metadata;
    this.#kinds.set(asked.resource, kind);
    const id = idOf(asked.resource, namespace, name);
    if (writer !== undefined) this.#writers.set(`${id} ${resourceVersion}`, writer);
    // Secrets are remembered by the cache only.
    if (isConfidential(asked) || this.#findCached(asked.resource, namespace, name)) return;
    const isSmall = JSON.stringify(answer).length <= LARGEST_ANSWER;
    if (isSmall) this.#answers.set(id, answer as object as KubeObject);
  }

  /** The reconcile that wrote a version of an object; `undefined` for another writer. */
  writerOf(resource: string, { metadata }: KubeObject): string | undefined {
    const { namespace, name, resourceVersion } = metadata;
    return this.#writers.get(`${idOf(resource, namespace, name)} ${resourceVersion}`);
  }

  /** Other subresources than the status are other kinds: a Scale, an Eviction. */
  #isOfTheKind({ subresource }: AskedObject): boolean {
    return subresource === undefined || subresource === "status";
  }
}

function idOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource} ${namespace ?? ""}/${name}`;
}
