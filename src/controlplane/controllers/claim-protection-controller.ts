/**
 * Claims and volumes in use are not removed: their finalizers go when nobody uses them any more.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 * @module
 */
import type { Pod } from "../builtin/strategies/pod-shapes.ts";
import type { PersistentVolume } from "../builtin/strategies/shapes.ts";
import type { ControllerClient, ResourceName, StoreEvent } from "./client.ts";
import { CLAIMS, PODS, VOLUMES, concerns, keyFrom, textOf } from "./keys.ts";
import { isFinished } from "./pods.ts";
import type { Controller } from "./work-loop.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Lets claims and volumes go. */
export class ClaimProtectionController implements Controller {
  readonly name = "ClaimProtection";
  readonly watches = [CLAIMS, VOLUMES, PODS];
  readonly #client: ControllerClient;

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, CLAIMS) || concerns(event, VOLUMES)) yield textOf(event.object);
    if (!concerns(event, PODS)) return;
    const { namespace = "" } = event.object.metadata;
    for (const name of claimsOf(event.object as Pod)) yield `${namespace}/${name}`;
  }

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    if (namespace === "") {
      const volume = this.#client.find(VOLUMES, { name }) as PersistentVolume | undefined;
      if (volume?.status?.phase !== "Bound") await this.#release(VOLUMES, volume, VOLUME_FINALIZER);
      return;
    }
    const isUsed = (this.#client.list(PODS, { namespace }) as Pod[]).some(
      (pod) => !isFinished(pod) && claimsOf(pod).includes(name),
    );
    if (!isUsed) {
      await this.#release(CLAIMS, this.#client.find(CLAIMS, { namespace, name }), CLAIM_FINALIZER);
    }
  }

  async #release(
    resource: ResourceName,
    object: ReturnType<ControllerClient["find"]>,
    finalizer: string,
  ): Promise<void> {
    const { finalizers = [], deletionTimestamp, namespace, name = "" } = object?.metadata ?? {};
    if (!deletionTimestamp || !finalizers.includes(finalizer)) return;
    const rest = finalizers.filter((one) => one !== finalizer);
    await this.#client.patch(resource, namespace === undefined ? { name } : { namespace, name }, {
      metadata: { finalizers: rest.length > 0 ? rest : null },
    });
  }
}

/** The claims that a pod uses: those that it names, and those that are made for it. */
export function claimsOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata.name ?? ""}-${name}`] : [];
  });
}
