/** The parts of a pod that are written through its subresources. */
import { sameJson } from "../../../../../kube/json.ts";
import type { Pod } from "./shape.ts";

/** Takes the containers from a write to `ephemeralcontainers`. */
export function takeEphemeralContainers({ spec }: Pod, given: Pod): void {
  const { ephemeralContainers } = given.spec;
  if (ephemeralContainers) spec.ephemeralContainers = ephemeralContainers;
  else delete spec.ephemeralContainers;
}

/**
 * Takes the resources of the containers from a write to `resize`; when the containers have other
 * names, all of them, for validation to refuse.
 */
export function takeResources({ spec }: Pod, { spec: given }: Pod): void {
  if (given.resources) spec.resources = given.resources;
  else delete spec.resources;
  const namesOf = (list: readonly { name: string }[] | null | undefined): string[] =>
    (list ?? []).map(({ name }) => name);
  for (const list of ["containers", "initContainers"] as const) {
    const now = given[list];
    const isKept = sameJson(namesOf(now), namesOf(spec[list]));
    if (!now) continue;
    spec[list] = !isKept
      ? now
      : (spec[list] ?? []).map((container, index) => {
          const { resources, resizePolicy } = now[index] ?? {};
          return {
            ...container,
            ...(resources ? { resources } : {}),
            ...(resizePolicy ? { resizePolicy } : {}),
          };
        });
  }
}
