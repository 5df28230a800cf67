/**
 * The requests of a storage migration, each tried again while the API server, or the webhook that it asks, is in trouble.
 */
import type { Clock } from "../../clock.ts";
import type { Definition } from "../../kube/definition/definition.ts";
import { CustomResourceDefinition } from "../../generated/k8s/apiextensions-v1.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { StatusError } from "../../kube/status.ts";
import { completeList } from "../../runtime/rest/complete-list.ts";
import { acceptOf } from "../../runtime/rest/metadata-only.ts";
import { collectionPath, objectPath } from "../../runtime/rest/paths.ts";
import type { RestClient, RestRequest } from "../../runtime/rest/rest-client.ts";
import { ConnectionError } from "../../runtime/transport/transport.ts";
import { FIELD_MANAGER } from "./ownership.ts";
import { present } from "../../present.ts";

const WAITS_MS = [100, 300, 1000, 3000];
const MERGE_PATCH = "application/merge-patch+json";

/** A page of objects, and how the next one is asked for. */
export interface Page {
  readonly keys: readonly ObjectKey[];
  /** Absent on the last page. */
  readonly next?: string;
  /** How many objects are behind this page, as far as the API server says so. */
  readonly remaining?: number;
}

/** A CRD with the version that its changes are told by. */
export type LiveDefinition = Definition & { metadata: { uid: string; resourceVersion: string } };

export class MigrationRequests {
  readonly #rest: RestClient;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor(rest: RestClient, clock: Clock, signal: AbortSignal) {
    this.#rest = rest;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** The CRD as it is now. @throws StatusError 404 */
  definition(name: string): Promise<LiveDefinition> {
    return this.#send<LiveDefinition>({
      method: "GET",
      path: objectPath(CustomResourceDefinition, { name }),
    });
  }

  /** Changes the CRD, unless it changed since it was read. @throws StatusError 409 */
  patchDefinition(
    { metadata }: LiveDefinition,
    change:
      | { readonly annotations: Readonly<Record<string, string | null>> }
      | { readonly storedVersions: readonly string[] },
  ): Promise<LiveDefinition> {
    const { name = "", resourceVersion } = metadata;
    const isStatus = "storedVersions" in change;
    return this.#send<LiveDefinition>({
      method: "PATCH",
      path: objectPath(CustomResourceDefinition, { name }, isStatus ? "status" : undefined),
      query: { fieldManager: FIELD_MANAGER },
      contentType: MERGE_PATCH,
      body: isStatus
        ? { metadata: { resourceVersion }, status: change }
        : { metadata: { resourceVersion, ...change } },
    });
  }

  /** Objects of a kind, by name only. @throws StatusError 410 when `next` is too old */
  async page(resource: ResourceInfo, limit: number, next?: string): Promise<Page> {
    const answer = await this.#send({
      method: "GET",
      path: collectionPath(resource),
      query: { limit, continue: next },
      ...acceptOf({ ...resource, metadataOnly: true }, true),
    });
    const { items, metadata } = completeList<KubeObject>(answer, resource);
    return {
      keys: items.map(keyOf),
      ...(metadata.continue ? { next: metadata.continue } : {}),
      ...present({ remaining: metadata.remainingItemCount }),
    };
  }

  /**
   * Has the API server store an object anew: a patch that changes nothing is written where the
   * stored text would be another one now, in another version say, and is nothing but a read where
   * it would not.
   *
   * @throws StatusError 404 when it is gone
   */
  async rewrite(resource: ResourceInfo, key: ObjectKey): Promise<void> {
    await this.#send({
      method: "PATCH",
      path: objectPath(resource, key),
      query: { fieldManager: FIELD_MANAGER },
      contentType: MERGE_PATCH,
      body: {},
      ...acceptOf({ ...resource, metadataOnly: true }, false),
    });
  }

  async #send<T>(request: RestRequest): Promise<T> {
    for (const waitMs of WAITS_MS) {
      try {
        return (await this.#rest.request({ ...request, signal: this.#signal })) as T;
      } catch (error) {
        if (!isPassing(error)) throw error;
        await this.#clock.sleep(waitMs, this.#signal);
      }
    }
    return (await this.#rest.request({ ...request, signal: this.#signal })) as T;
  }
}

/** Whether the failure may be over soon. The client itself waits where the API server says for how long. */
function isPassing(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500;
  return error instanceof ConnectionError && error.failure === "reset";
}
