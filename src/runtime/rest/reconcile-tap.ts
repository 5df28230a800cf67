/**
 * Taps: stand between a reconcile and everything that it asks: the caches, the server, the clock.
 * One records the answers, another answers from a recording.
 */
import type { Json, KubeObject, ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import type { ListOptions } from "./selection.ts";
import type { RestRequest, SendRequest } from "./rest-client.ts";

/** The question for the resource of a kind, as it stands in a recording. */
export const servedQuestion = (apiVersion: string, kind: string, plural?: string): string =>
  `how ${apiVersion} ${kind} is served${plural === undefined ? "" : ` as ${plural}`}`;

/** The options of a list that decide its result. */
export type ListQuestion = Pick<ListOptions, "namespace" | "labels" | "index">;

/** The recorded start of a reconcile. */
export interface ReplayStart {
  readonly key: string;
  readonly causes: readonly string[];
  readonly failures: number;
  /** The wall time, in milliseconds. */
  readonly nowMs: number;
}

/** The questions of a reconcile; each method returns the answer. */
export interface ReconcileTap {
  /** Reads an object of the cache. */
  find<T extends KubeObject>(
    resource: ResourceInfo,
    key: ObjectKey,
    read: () => T | undefined,
  ): T | undefined;
  list<T extends KubeObject>(resource: ResourceInfo, asked: ListQuestion, read: () => T[]): T[];
  /**
   * Reads another fact that a reconcile depends on: the time, a random number, the process' memory
   * of earlier ones.
   */
  fact<T extends Json>(name: string, read: () => T): T;
  /** Reads a fact that is not known at once; plain data, too. */
  laterFact<T extends object>(name: string, read: () => Promise<T>): Promise<T>;
  request(request: RestRequest, send: SendRequest): Promise<unknown>;
}
