/**
 * The claims of ephemeral volumes: created for their pod, and deleted with it.
 *
 * @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes
 */
import { isAlreadyExists } from "../../../kube/status.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns, keyFrom, textOf } from "../keys.ts";
import { CLAIMS, PODS } from "../../builtin/tokens.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { isActive } from "../pods/pods.ts";
import type { Controller } from "../work-loop.ts";

const KIND: OwnerKind = { apiVersion: "v1", kind: "Pod", resource: PODS };

/** Creates missing claims. */
export class EphemeralClaimController implements Controller {
  readonly name = "EphemeralClaim";
  readonly watches = [PODS];
  readonly #client: ControllerClient;

  constructor(client: ControllerClient) {
    this.#client = client;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (!concerns(event, PODS) || event.type === "DELETED") return;
    const { volumes = [] } = event.object.spec;
    if (volumes.some(({ ephemeral }) => ephemeral)) yield textOf(event.object);
  }

  async sync(key: string): Promise<undefined> {
    const pod = this.#client.find(PODS, keyFrom(key));
    if (!pod || !isActive(pod)) return;
    const { namespace = "" } = pod.metadata;
    for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const name = `${pod.metadata.name ?? ""}-${volume}`;
      if (!template || this.#client.find(CLAIMS, { namespace, name })) continue;
      const { labels, annotations } = template.metadata ?? {};
      const claim = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name,
          namespace,
          ...(labels ? { labels: { ...labels } } : {}),
          ...(annotations ? { annotations: { ...annotations } } : {}),
          ownerReferences: [controllerReference(pod, KIND)],
        },
        spec: structuredClone(template.spec),
      };
      try {
        await this.#client.create(CLAIMS, claim);
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
      }
    }
  }
}
