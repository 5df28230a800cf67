/**
 * The claims of ephemeral volumes: created for their pod, and deleted with it.
 *
 * @see https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#generic-ephemeral-volumes
 */
import { present } from "../../../present.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import { unlessThere } from "../framework/absence.ts";
import { CLAIMS, PODS } from "../../builtin/tokens.ts";
import { controllerReference } from "../framework/owner-references.ts";
import { isActive } from "../pods/pods.ts";
import { ObjectController, watch } from "../framework/controller.ts";

export class EphemeralClaimController extends ObjectController<Pod> {
  readonly name = "EphemeralClaim";
  readonly resource = PODS;
  readonly watches = [watch(PODS)];

  protected async reconcile(pod: Pod): Promise<undefined> {
    if (!isActive(pod)) return;
    const { namespace = "" } = pod.metadata;
    for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
      const template = ephemeral?.volumeClaimTemplate;
      const name = `${pod.metadata.name ?? ""}-${volume}`;
      if (!template || this.client.find(CLAIMS, { namespace, name })) continue;
      const { labels, annotations } = template.metadata ?? {};
      const claim = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: {
          name,
          namespace,
          ...present({ labels, annotations }),
          ownerReferences: [controllerReference(pod)],
        },
        spec: structuredClone(template.spec),
      };
      await unlessThere(this.client.create(CLAIMS, claim));
    }
  }
}
