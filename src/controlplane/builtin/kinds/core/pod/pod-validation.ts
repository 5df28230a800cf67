import type { Check } from "../../../../../kube/check.ts";
import { checkImage } from "../../../shared/pods/containers.ts";
import { checkPodAnnotations, checkPodSpec } from "../../../shared/workloads/pod-spec.ts";
import type { Pod } from "./shape.ts";

export function checkPod(pod: Check<Pod>): void {
  const { metadata } = pod.value;
  const spec = pod.at("spec");
  checkPodAnnotations(pod.at("metadata", "annotations"), spec.value);
  checkPodSpec(spec, metadata.name ?? "");
  if (!spec.value.serviceAccountName) {
    spec.at("volumes").each((volume) =>
      volume.at("projected", "sources").each((source) => {
        const token = source.at("serviceAccountToken");
        if (token.value)
          token.forbidden("must not be specified when serviceAccountName is not set");
      }),
    );
  }
  spec.at("containers").each(checkImage);
  spec.at("initContainers").each(checkImage);
}

/** Validates the rules that only a new Pod must meet. */
export function checkNewPod(pod: Check<Pod>): void {
  const spec = pod.at("spec");
  const { ephemeralContainers = [], schedulingGates = [], nodeName } = spec.value;
  if (ephemeralContainers.length > 0) {
    spec.at("ephemeralContainers").forbidden("cannot be set on create");
  }
  if (schedulingGates.length > 0 && nodeName) {
    spec.at("nodeName").forbidden("cannot be set until all schedulingGates have been cleared");
  }
}
