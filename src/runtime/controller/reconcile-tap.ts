/**
 * Stands between a reconcile and all that it asks: the caches, the server, the clock. One records what is answered,
 * another answers from a recording.
 *
 * @module
 */
import type { Json, KubeObject, ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import type { ListOptions } from "../client/client.ts";
import type { RestRequest, SendRequest } from "../client/rest-client.ts";

/** How the question is named which resource a kind is; a fact. */
export const servedQuestion = (apiVersion: string, kind: string, plural?: string): string =>
  `how ${apiVersion} ${kind} is served${plural === undefined ? "" : ` as ${plural}`}`;

/** What a list is asked for. */
export type ListQuestion = Pick<ListOptions, "namespace" | "labels" | "index">;

/** What a reconcile that was recorded is told of itself. */
export interface ReplayStart {
  readonly key: string;
  readonly causes: readonly string[];
  readonly failures: number;
  /** Wall time. */
  readonly nowMs: number;
}

/** What a reconcile asks through; each gives the answer. */
export interface ReconcileTap {
  /** An object of the cache. */
  find<T extends KubeObject>(
    resource: ResourceInfo,
    key: ObjectKey,
    read: () => T | undefined,
  ): T | undefined;
  /** Objects of the cache. */
  list<T extends KubeObject>(resource: ResourceInfo, asked: ListQuestion, read: () => T[]): T[];
  /** What else decides on what a reconcile does: the time, a random number, what the process remembers of earlier ones. */
  fact<T extends Json>(name: string, read: () => T): T;
  /** The same of what is not known at once; plain data, too. */
  laterFact<T extends object>(name: string, read: () => Promise<T>): Promise<T>;
  /** A request to the server. */
  request(request: RestRequest, send: SendRequest): Promise<unknown>;
}
