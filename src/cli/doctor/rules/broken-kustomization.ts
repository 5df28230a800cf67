/** Kustomizations that cannot be rendered. */
import type { Rule } from "../rule.ts";

export const brokenKustomization: Rule = {
  name: "broken-kustomization",
  about:
    "A kustomization cannot be rendered: a file that it names is not there, a patch fits no object, two objects have one name. Nothing of it can be deployed.",
  example: "# kustomization.yaml; there is no file deploymnet.yaml\nresources: [deploymnet.yaml]",
  find: ({ brokenKustomizations }) => brokenKustomizations,
};
