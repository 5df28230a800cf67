/** Scripts the simulated pods, such as those that the operator under test creates. */
import type { ControlPlane } from "../controlplane/control-plane.ts";
import {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
} from "../generated/k8s/admissionregistration-v1.ts";
import { hashOf } from "../kube/stable-names.ts";
import { clientFor } from "./access.ts";

/** The containers of a simulated pod, as the annotation `tsop.dev/simulate` describes them. */
export type PodSimulation =
  | "fail"
  | `fail:${number}`
  | "slow"
  | `slow:${number}`
  | "never-ready"
  | "liveness-fails"
  | `liveness-fails:${number}`
  | "readiness-fails"
  | `readiness-fails:${number}`
  | "startup-fails"
  | "no-image"
  | "oom"
  | `oom:${number}`
  | "run"
  | `process:${string}`;

/** The selected pods; all when both fields are absent. */
export interface SimulatedPods {
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** The script of pods: the result of `simulatePods(...)`. */
export interface PodScript {
  /**
   * Removes the script: later pods do what their commands say; existing ones keep their annotation.
   */
  remove(): Promise<void>;
}

/**
 * Gives later pods the annotation `tsop.dev/simulate`: for pods whose template is the operator's,
 * such as those of its Jobs. Of several scripts for the same pods, the last one counts.
 *
 * @example
 * const script = await simulatePods(cluster, { labels: { app: "backup" } }, "fail");
 * // The backup fails, and what the operator says of it is looked at.
 * await script.remove();
 */
export async function simulatePods(
  controlPlane: ControlPlane,
  pods: SimulatedPods,
  simulation: PodSimulation,
): Promise<PodScript> {
  const client = clientFor(controlPlane);
  const { namespace, labels } = pods;
  const name = `simulate-pods-${hashOf({ namespace, labels })}`;
  const annotations = `{"tsop.dev/simulate": ${JSON.stringify(simulation)}}`;
  await client.apply(MutatingAdmissionPolicy, {
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      matchConstraints: {
        ...(namespace === undefined
          ? {}
          : { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } } }),
        ...(labels === undefined ? {} : { objectSelector: { matchLabels: { ...labels } } }),
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] },
        ],
      },
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: {
            expression: `Object{metadata: Object.metadata{annotations: ${annotations}}}`,
          },
        },
      ],
    },
  });
  await client.apply(MutatingAdmissionPolicyBinding, {
    metadata: { name },
    spec: { policyName: name },
  });
  return {
    async remove() {
      await client.delete(MutatingAdmissionPolicyBinding, { name });
      await client.delete(MutatingAdmissionPolicy, { name });
    },
  };
}
