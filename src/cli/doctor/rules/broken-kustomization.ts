/** Kustomizations that cannot be rendered. */
import type { Rule } from "../rule.ts";

export const brokenKustomization: Rule = {
  name: "broken-kustomization",
  about:
    "A kustomization cannot be rendered, for example because a file does not exist, a patch matches no object, or two objects have the same name. None of its objects can be deployed.",
  example: "# kustomization.yaml; there is no file deploymnet.yaml\nresources: [deploymnet.yaml]",
  find: ({ brokenKustomizations }) => brokenKustomizations,
};
